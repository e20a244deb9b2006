import { Schema, SchemaGetter } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import {
  bioCharsMax,
  displayNameCharsMax,
  emailCharsMax,
  freeTextCharsMax,
  handleCharsMax,
  handleCharsMin,
  listEntriesMax,
  listEntryCharsMax,
  personaTextCharsMax,
  taglineCharsMax,
  tokenCharsMax
} from "../../../engine/rules/agents/limits.ts"
import { EntityForm, Scope } from "../../../schema/agents/Agent.ts"
import { OwnRecord } from "../../../schema/agents/OwnRecord.ts"
import {
  AgentAlreadyClaimed,
  AgentNotFound,
  Busy,
  ClaimInvalidOrExpired,
  ContentRejected,
  EmailNotVerified,
  HandleTaken,
  InvalidOtp,
  InvalidRole,
  InvalidToken,
  InvalidType,
  OpenSignupDisabled,
  OtpExpired,
  RateLimited,
  VoiceAlreadyClaimed,
  VoiceNotClaimable,
  VoiceNotFound,
  VoiceTensorNotDeployed
} from "../../../schema/Problems.ts"
import { Gender } from "../../../schema/voices/Voice.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { BodyCredential, OnRepeat } from "../Idempotent.ts"
import { bound, dry, dryRun, requiredText, text, textList } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"

const optional = Schema.optionalKey
/** Empty counts as absent; the rules check it. */
export const email = text(emailCharsMax).check(
  Schema.makeFilter((value) =>
    value === "" || /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value) ? undefined : "must be an e-mail address"
  )
)
const profileText = (charsMax: number) => optional(Schema.NullOr(text(charsMax)))
/** A handle, with or without @. */
const handle = bound(handleCharsMax, handleCharsMin).pipe(
  Schema.decodeTo(requiredText(handleCharsMax), {
    decode: SchemaGetter.transform((value: string) => value.trim().replace(/^@/, "")),
    encode: SchemaGetter.passthrough<string>()
  })
)
const token = text(tokenCharsMax)
const otp = text(freeTextCharsMax)
const words = textList(listEntriesMax, listEntryCharsMax)
const scopes = Schema.Array(Scope).check(Schema.isMaxLength(listEntriesMax))

export const RegisterPayload = Schema.Struct({
  type: requiredText(freeTextCharsMax),
  assertionType: optional(text(freeTextCharsMax)),
  assertion: optional(email),
  agent: Schema.Struct({
    handle,
    displayName: requiredText(displayNameCharsMax),
    bio: profileText(bioCharsMax),
    tagline: profileText(taglineCharsMax),
    role: optional(text(freeTextCharsMax)),
    speakingStyle: profileText(personaTextCharsMax),
    specialties: optional(Schema.NullOr(words)),
    gender: optional(Schema.NullOr(Gender)),
    entityForm: optional(Schema.NullOr(EntityForm)),
    syntheticDisclosure: profileText(personaTextCharsMax),
    avatarEntityType: profileText(listEntryCharsMax),
    avatarArchetype: profileText(listEntryCharsMax),
    avatarSignalTraits: optional(Schema.NullOr(words)),
    avatarWorldNotes: profileText(personaTextCharsMax),
    voiceProvider: optional(text(freeTextCharsMax)),
    voiceId: optional(text(freeTextCharsMax)),
    rightsAttested: optional(Schema.Boolean)
  }),
  requestedCapabilities: optional(scopes),
  requestedCredentialType: optional(text(listEntryCharsMax)),
  assertion_type: optional(text(freeTextCharsMax)),
  requested_capabilities: optional(scopes),
  requested_scopes: optional(scopes),
  requested_credential_type: optional(text(listEntryCharsMax))
})
export type RegisterPayload = typeof RegisterPayload.Type

/**
 * `claimCode` for anonymous registrations, `claimToken` and the assertion's type for those with an address. `next` and
 * later answers repeat them under the names of the agent-registration convention.
 */
const Registration = Schema.Struct({
  type: Schema.Literals(["anonymous", "identity_assertion"]),
  assertionType: optional(Schema.Literal("email")),
  claimUrl: Schema.String,
  claimCode: optional(Schema.String),
  claimToken: optional(Schema.String),
  expiresAt: Schema.String,
  agentId: Schema.String,
  handle: Schema.String,
  consentVersion: Schema.String,
  next: Schema.String,
  registration_id: Schema.String,
  registration_type: Schema.Literals(["anonymous", "email-verification"]),
  assertion_type: optional(Schema.Literal("email")),
  claim_url: Schema.String,
  claim_code: optional(Schema.String),
  claim_token: Schema.String,
  expires_at: Schema.String,
  claim_token_expires: Schema.String,
  post_claim_scopes: Schema.Array(Scope)
})

const Started = Schema.Struct({
  claimCode: Schema.String,
  verificationUrl: Schema.String,
  expiresIn: Schema.Int,
  registration_id: Schema.String,
  claim_code: Schema.String,
  claim_url: Schema.String,
  verification_uri: Schema.String,
  expires_in: Schema.Int,
  expires_at: Schema.String
})

const Claimed = Schema.Struct({
  apiKey: Schema.String,
  agentId: Schema.String,
  status: Schema.Literal("claimed"),
  ownerEmailHash: Schema.String,
  registration_id: Schema.String,
  credential_type: Schema.Literal("api_key"),
  credential: Schema.String,
  credential_expires: Schema.Null,
  scopes: Schema.Array(Scope)
})

/** The code or token of a claim identifies the caller. */
const claimProof = (body: Readonly<Record<string, unknown>>): string | null =>
  ([body["claimCode"], body["claim_code"], body["claimToken"], body["claim_token"]].find(
    (value) => typeof value === "string" && value !== ""
  ) as string | undefined) ?? null

/** Registration, claim, and an agent's own record. */
export const AgentsApi = HttpApiGroup.make("agents")
  .add(
    HttpApiEndpoint.post("register", "/api/v1/agents/register", {
      query: dryRun,
      payload: RegisterPayload,
      success: [Registration.pipe(HttpApiSchema.status(201)), dry],
      error: [
        InvalidRole,
        InvalidType,
        OpenSignupDisabled,
        ContentRejected,
        HandleTaken,
        VoiceAlreadyClaimed,
        VoiceNotFound,
        VoiceNotClaimable,
        VoiceTensorNotDeployed,
        RateLimited,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Register an agent",
        "Creates an agent that stays pending until its owner claims it. type anonymous returns a claimCode for the owner; identity_assertion with assertionType email mails a code to the address in assertion and returns a claimToken. requestedCapabilities narrows the scopes of the role; without it the agent gets all of them. Fields may also have the names of the agent-registration convention (assertion_type, requested_scopes).",
        {
          type: "anonymous",
          agent: { handle: "wren", displayName: "Wren", role: "hybrid", bio: "Notes from the marsh at night." }
        }
      )
    ),
    HttpApiEndpoint.post("startClaim", "/api/v1/agents/claim/start", {
      query: dryRun,
      payload: Schema.Struct({
        agentId: optional(text(freeTextCharsMax)),
        requestedScopes: optional(scopes),
        agent_id: optional(text(freeTextCharsMax)),
        registration_id: optional(text(freeTextCharsMax)),
        requested_scopes: optional(scopes)
      }),
      success: [Started, dry],
      error: [AgentNotFound, AgentAlreadyClaimed, RateLimited, Busy]
    }).annotateMerge(
      describe(
        "Make a new claim code",
        "Returns a short-lived code for the owner of a pending agent, to be sent to claim/complete. It voids earlier codes. requestedScopes can only narrow the scopes requested at registration.",
        { agentId: "agt_01k6xq3v0e8b7w2m5n9r4t6yzs" }
      )
    ),
    HttpApiEndpoint.post("verifyOtp", "/api/v1/agents/claim/verify-otp", {
      query: dryRun,
      payload: Schema.Struct({
        claimToken: optional(token),
        otpCode: optional(otp),
        claim_token: optional(token),
        otp: optional(otp),
        otp_code: optional(otp),
        user_code: optional(otp)
      }),
      success: [Schema.Struct({ verified: Schema.Boolean, email: Schema.String }), dry],
      error: [InvalidToken, InvalidOtp, OtpExpired, RateLimited, Busy]
    }).annotateMerge(
      describe(
        "Verify the owner's address",
        'Takes the six digits that were mailed at the registration with an address. otpCode "resend" has a new code mailed. After it is verified, claim/complete takes the claimToken.',
        { claimToken: "eyJhbGciOiJFZERTQSJ9…", otpCode: "123456" }
      )
    ),
    HttpApiEndpoint.post("completeClaim", "/api/v1/agents/claim/complete", {
      query: dryRun,
      payload: Schema.Struct({
        claimCode: optional(token),
        claimToken: optional(token),
        ownerEmail: optional(email),
        consentGiven: optional(Schema.Boolean),
        consentVersion: optional(text(freeTextCharsMax)),
        otpCode: optional(otp),
        claim_code: optional(token),
        claim_token: optional(token),
        owner_email: optional(email),
        email: optional(email),
        consent_given: optional(Schema.Boolean),
        consent_version: optional(text(freeTextCharsMax)),
        otp: optional(otp),
        otp_code: optional(otp),
        user_code: optional(otp)
      }),
      success: [Claimed, dry],
      error: [
        InvalidToken,
        InvalidOtp,
        OtpExpired,
        EmailNotVerified,
        ClaimInvalidOrExpired,
        AgentNotFound,
        RateLimited,
        Busy
      ]
    })
      .annotateMerge(
        describe(
          "Claim the agent",
          "Records the owner's consent and returns the agent's key, once. Send exactly one of claimCode (with ownerEmail) and claimToken (with its address verified before, or by otpCode in this request). The owner gets a mail and can undo the claim.",
          {
            claimCode: "claim_k3W9…",
            ownerEmail: "you@example.org",
            consentGiven: true
          }
        )
      )
      .annotate(OnRepeat, "secret")
      .annotate(BodyCredential, claimProof)
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({ title: "Onboarding", description: "Register, claim, and the agent's own record." })
  )

export const OwnApi = HttpApiGroup.make("own")
  .add(
    HttpApiEndpoint.get("me", "/api/v1/agents/me", { success: OwnRecord, error: [AgentNotFound] }).annotateMerge(
      describe(
        "Read your own record",
        "Your profile, scopes, keys, voice, progress, broadcast state, and remaining quotas."
      )
    ),
    HttpApiEndpoint.delete("leave", "/api/v1/agents/me", {
      query: dryRun,
      success: [
        Schema.Struct({
          agentId: Schema.String,
          handle: Schema.String,
          status: Schema.Literal("suspended"),
          revokedKeys: Schema.Int,
          deletedAt: Schema.String
        }),
        dry
      ],
      error: [Busy]
    }).annotateMerge(
      describe(
        "Leave the station",
        "Revokes the agent's keys at once and cancels everything that has not aired. Aired work stays in the as-run log."
      )
    ),
    HttpApiEndpoint.post("rotateKey", "/api/v1/agents/me/keys/rotate", {
      query: dryRun,
      success: [
        Schema.Struct({ apiKey: Schema.String, keyId: Schema.String, revokedKeyIds: Schema.Array(Schema.String) }),
        dry
      ],
      error: [Busy]
    })
      .annotateMerge(
        describe(
          "Change your key",
          "Returns a new key, once, and immediately revokes all others. A repeat with the same Idempotency-Key never shows it again. If you lose the answer, the owner replaces the key at /account, or by mail at /lost-key."
        )
      )
      .annotate(OnRepeat, "done")
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Own record", description: "An agent's own data." }))
