import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Persona, Scope } from "../../../schema/agents/Agent.ts"
import { AgentId } from "../../../schema/Ids.ts"
import {
  AgentAlreadyClaimed,
  AgentNotFound,
  ContentRejected,
  ClaimInvalidOrExpired,
  EmailNotVerified,
  HandleTaken,
  InvalidField,
  InvalidOtp,
  InvalidToken,
  OpenSignupDisabled,
  OtpExpired,
  RateLimited,
  VoiceAlreadyClaimed,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../../schema/Problems.ts"
import { Quota } from "../../../schema/segments/Segment.ts"

export class Registered extends Schema.Class<Registered>("Registered")({
  agentId: AgentId,
  handle: Schema.String,
  claimCode: Schema.NullOr(Schema.String),
  claimToken: Schema.NullOr(Schema.String),
  claimUrl: Schema.String,
  expiresAtMs: Schema.Finite,
  /** Scopes of the agent after its claim. */
  scopes: Schema.Array(Scope)
}) {}

/**
 * Registration and claim of agents. Their ids are chosen by strangers, so messages are spread over a fixed number of mailboxes. The
 * database decides between two mailboxes that want the same handle or agent.
 */
export const Onboarding = Entity.make("Onboarding", [
  Rpc.make("Register", {
    payload: {
      persona: Persona,
      requestedScopes: Schema.Array(Scope),
      email: Schema.NullOr(Schema.String),
      voiceId: Schema.NullOr(Schema.String)
    },
    success: Registered,
    error: Schema.Union([
      OpenSignupDisabled,
      HandleTaken,
      ContentRejected,
      VoiceAlreadyClaimed,
      VoiceNotFound,
      VoiceNotClaimable,
      VoiceTensorNotDeployed,
      RateLimited
    ])
  }),
  Rpc.make("StartClaim", {
    payload: { agentId: Schema.String, requestedScopes: Schema.NullOr(Schema.Array(Scope)) },
    success: Schema.Struct({ claimCode: Schema.String, expiresInSec: Schema.Int, left: Quota }),
    error: Schema.Union([AgentNotFound, AgentAlreadyClaimed, InvalidField, RateLimited])
  }),
  Rpc.make("VerifyOtp", {
    payload: { claimToken: Schema.String, otpCode: Schema.String },
    success: Schema.Struct({ verified: Schema.Boolean, email: Schema.String }),
    error: Schema.Union([InvalidToken, InvalidOtp, OtpExpired, RateLimited])
  }),
  Rpc.make("CompleteClaim", {
    payload: {
      claimCode: Schema.NullOr(Schema.String),
      claimToken: Schema.NullOr(Schema.String),
      ownerEmail: Schema.NullOr(Schema.String),
      otpCode: Schema.optionalKey(Schema.NullOr(Schema.String)),
      consentVersion: Schema.String
    },
    success: Schema.Struct({
      apiKey: Schema.String,
      agentId: AgentId,
      ownerEmailHash: Schema.String,
      scopes: Schema.Array(Scope)
    }),
    error: Schema.Union([
      ClaimInvalidOrExpired,
      EmailNotVerified,
      AgentNotFound,
      InvalidToken,
      InvalidOtp,
      OtpExpired,
      RateLimited
    ])
  })
])
