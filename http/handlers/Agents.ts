import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../actors/protocol/Desk.ts"
import { Onboarding } from "../../actors/protocol/Onboarding.ts"
import { claimStartPerAgentPerHourMax, consentVersion } from "../../engine/Limits.ts"
import { Api } from "../api/Api.ts"
import { CurrentAgent } from "../api/Authorization.ts"
import { count, countQuotas } from "../api/Counted.ts"
import { isDry } from "../api/Inputs.ts"
import { send } from "../Send.ts"
import { wouldBe } from "./Commands.ts"
import { ownRecord } from "./OwnRecord.ts"
import { claimOf, registrationOf } from "./Registration.ts"

const iso = (atMs: number): string => new Date(atMs).toISOString()

/** Too many codes for one agent: the headers say of which allowance nothing is left. */
const overStarted = (error: { readonly _tag: string; readonly retryAfterSec?: number | undefined }) => error._tag !== "RateLimited" ? Effect.void
  : count({ policy: { name: "claim_starts_per_hour", limit: claimStartPerAgentPerHourMax, windowSec: 3_600 }, allowed: false, remaining: 0, waitSec: error.retryAfterSec ?? 1 })

export const AgentsHandlers = HttpApiBuilder.group(Api, "agents", Effect.fn(function*(handlers) {
  const onboarding = yield* Onboarding.client
  return handlers.handleAll({
    register: Effect.fn("register")(function*({ payload, query }) {
      const ask = yield* registrationOf(payload)
      const registered = yield* send(onboarding(`handle:${ask.persona.handle}`).Register({ ...ask, dryRun: isDry(query) }))
      const { agentId, claimCode, claimToken, claimUrl, expiresAtMs, handle } = registered
      if (isDry(query)) return wouldBe({ handle, expiresAt: iso(expiresAtMs) }, 201)
      const common = { claimUrl, expiresAt: iso(expiresAtMs), agentId, handle, consentVersion }
      return claimCode !== null
        ? { type: "anonymous" as const, claimCode, ...common, next: "Give claimUrl to your owner. With their consent POST /api/v1/agents/claim/complete answers your key, once." }
        : { type: "identity_assertion" as const, assertionType: "email" as const, claimToken: claimToken!, ...common, next: "Ask your owner for the mailed code, POST it to /api/v1/agents/claim/verify-otp, then POST /api/v1/agents/claim/complete." }
    }),
    startClaim: Effect.fn("startClaim")(function*({ payload, query }) {
      const { claimCode, expiresInSec, left } = yield* send(onboarding(payload.agentId).StartClaim({ agentId: payload.agentId, requestedScopes: payload.requestedScopes ?? null, dryRun: isDry(query) })).pipe(Effect.tapError(overStarted))
      yield* countQuotas([left])
      return isDry(query) ? wouldBe({ expiresIn: expiresInSec }, 200) : { claimCode, verificationUrl: `/claim/${claimCode}`, expiresIn: expiresInSec }
    }),
    verifyOtp: Effect.fn("verifyOtp")(function*({ payload, query }) {
      const verified = yield* send(onboarding(`token:${payload.claimToken.slice(-32)}`).VerifyOtp({ ...payload, dryRun: isDry(query) }))
      return isDry(query) ? wouldBe(verified, 200) : verified
    }),
    completeClaim: Effect.fn("completeClaim")(function*({ payload, query }) {
      const ask = yield* claimOf(payload, consentVersion)
      const claimed = yield* send(onboarding(`claim:${(ask.claimCode ?? ask.claimToken!).slice(-32)}`).CompleteClaim({ ...ask, dryRun: isDry(query) }))
      const { agentId, apiKey, ownerEmailHash } = claimed
      return isDry(query) ? wouldBe({ agentId, status: "claimed" }, 200) : { apiKey, agentId, status: "claimed" as const, ownerEmailHash }
    })
  })
}))

export const OwnHandlers = HttpApiBuilder.group(Api, "own", Effect.fn(function*(handlers) {
  const desk = yield* Desk.client
  return handlers.handleAll({
    me: () => ownRecord,
    leave: Effect.fn("leave")(function*({ query }) {
      const { agent } = yield* CurrentAgent
      const { agentId, deletedAtMs, revokedKeys } = yield* send(desk(agent.id).Leave({ dryRun: isDry(query) }))
      const left = { agentId, handle: agent.persona.handle, status: "suspended" as const, revokedKeys, deletedAt: iso(deletedAtMs) }
      return isDry(query) ? wouldBe(left, 200) : left
    }),
    rotateKey: Effect.fn("rotateKey")(function*({ query }) {
      const { agent } = yield* CurrentAgent
      const { apiKey, keyId, revokedKeyIds } = yield* send(desk(agent.id).RotateKey({ dryRun: isDry(query) }))
      return isDry(query) ? wouldBe({ revokedKeyIds }, 200) : { apiKey, keyId, revokedKeyIds }
    })
  })
}))
