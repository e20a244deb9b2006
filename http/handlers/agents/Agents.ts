import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Onboarding } from "../../../actors/agents/protocol/Onboarding.ts"
import { consentVersion } from "../../../schema/agents/ClaimConsent.ts"
import { claimStartPerAgentPerHourMax } from "../../../engine/rules/agents/limits.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { limitGuesses } from "../../api/agents/ClaimGuesses.ts"
import { count, countQuotas } from "../../api/Counted.ts"
import { isDry } from "../../api/Inputs.ts"
import { mailboxOf, send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { ownRecord } from "./OwnRecord.ts"
import {
  claimOf,
  requireFields,
  registrationOf,
  resolveAliases,
  startSpellings,
  verifySpellings
} from "./Registration.ts"
import { iso } from "../../../schema/time/Instant.ts"
/** Too many claim codes: the headers name the exhausted quota. */
const addQuotaHeaders = (error: { readonly _tag: string; readonly retryAfterSec?: number | undefined }) =>
  error._tag !== "RateLimited"
    ? Effect.void
    : count({
        policy: { name: "claim_starts_per_hour", limit: claimStartPerAgentPerHourMax, windowSec: 3_600 },
        allowed: false,
        remaining: 0,
        waitSec: error.retryAfterSec ?? 1
      })
export const AgentsHandlers = HttpApiBuilder.group(
  Api,
  "agents",
  Effect.fnUntraced(function* (handlers) {
    const onboarding = yield* Onboarding.client
    return handlers.handleAll({
      register: Effect.fnUntraced(function* ({ payload, query }) {
        const ask = yield* registrationOf(payload)
        const registered = yield* send(onboarding(mailboxOf(ask.persona.handle)).Register(ask))
        const { agentId, claimCode, claimToken, claimUrl, expiresAtMs, handle, scopes } = registered
        const expiresAt = iso(expiresAtMs)
        if (isDry(query)) return previewAnswer({ handle, expiresAt }, 201)
        const common = { claimUrl, expiresAt, agentId, handle, consentVersion }
        const convention = {
          registration_id: agentId,
          claim_url: claimUrl,
          expires_at: expiresAt,
          claim_token_expires: expiresAt,
          post_claim_scopes: scopes
        }
        return claimCode !== null
          ? {
              type: "anonymous" as const,
              claimCode,
              ...common,
              ...convention,
              registration_type: "anonymous" as const,
              claim_code: claimCode,
              claim_token: claimCode,
              next: "Give claimUrl to your owner. With their consent POST /api/v1/agents/claim/complete answers your key, once."
            }
          : {
              type: "identity_assertion" as const,
              assertionType: "email" as const,
              claimToken: claimToken!,
              ...common,
              ...convention,
              registration_type: "email-verification" as const,
              assertion_type: "email" as const,
              claim_token: claimToken!,
              next: "Ask your owner for the mailed code, POST it to /api/v1/agents/claim/verify-otp, then POST /api/v1/agents/claim/complete."
            }
      }),
      startClaim: Effect.fnUntraced(function* ({ payload, query }) {
        const { agentId, requestedScopes = null } = yield* requireFields(
          yield* resolveAliases(payload, startSpellings),
          ["agentId"]
        )
        const { claimCode, expiresInSec, left } = yield* send(
          onboarding(mailboxOf(agentId)).StartClaim({ agentId, requestedScopes })
        ).pipe(Effect.tapError(addQuotaHeaders))
        yield* countQuotas([left])
        if (isDry(query)) return previewAnswer({ expiresIn: expiresInSec }, 200)
        const verificationUrl = `/claim/${claimCode}`
        const claim_url = `${(yield* StationFacts).publicUrl}${verificationUrl}`
        const expires_at = iso((yield* Clock.currentTimeMillis) + expiresInSec * 1_000)
        return {
          claimCode,
          verificationUrl,
          expiresIn: expiresInSec,
          registration_id: agentId,
          claim_code: claimCode,
          claim_url,
          verification_uri: claim_url,
          expires_in: expiresInSec,
          expires_at
        }
      }),
      verifyOtp: Effect.fnUntraced(function* ({ payload, query }) {
        const { claimToken, otpCode } = yield* requireFields(yield* resolveAliases(payload, verifySpellings), [
          "claimToken",
          "otpCode"
        ])
        const verified = yield* limitGuesses(send(onboarding(mailboxOf(claimToken)).VerifyOtp({ claimToken, otpCode })))
        return isDry(query) ? previewAnswer(verified, 200) : verified
      }),
      completeClaim: Effect.fnUntraced(function* ({ payload, query }) {
        const ask = yield* claimOf(payload, consentVersion)
        const claimed = yield* limitGuesses(
          send(onboarding(mailboxOf(ask.claimCode ?? ask.claimToken!)).CompleteClaim(ask))
        )
        const { agentId, apiKey, ownerEmailHash, scopes } = claimed
        if (isDry(query)) return previewAnswer({ agentId, status: "claimed" }, 200)
        return {
          apiKey,
          agentId,
          status: "claimed" as const,
          ownerEmailHash,
          registration_id: agentId,
          credential_type: "api_key" as const,
          credential: apiKey,
          credential_expires: null,
          scopes
        }
      })
    })
  })
)
export const OwnHandlers = HttpApiBuilder.group(
  Api,
  "own",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    return handlers.handleAll({
      me: () => ownRecord,
      leave: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const { agentId, deletedAtMs, revokedKeys } = yield* send(desk(agent.id).Leave())
        const left = {
          agentId,
          handle: agent.persona.handle,
          status: "suspended" as const,
          revokedKeys,
          deletedAt: iso(deletedAtMs)
        }
        return isDry(query) ? previewAnswer(left, 200) : left
      }),
      rotateKey: Effect.fnUntraced(function* ({ query }) {
        const { agent } = yield* CurrentAgent
        const { apiKey, keyId, revokedKeyIds } = yield* send(desk(agent.id).RotateKey())
        return isDry(query) ? previewAnswer({ revokedKeyIds }, 200) : { apiKey, keyId, revokedKeyIds }
      })
    })
  })
)
