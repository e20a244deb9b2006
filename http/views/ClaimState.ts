import { Effect, Clock } from "effect"
import { Claims, type Claim } from "../../engine/store/agents/Claims.ts"
import { sha256 } from "../../engine/runtime/Secrets.ts"
import { ClaimTokens } from "../../engine/runtime/ClaimTokens.ts"
import type { Agent } from "../../schema/agents/Agent.ts"
import { ClaimView } from "../../schema/agents/Claim.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { maskAddress } from "../../engine/rules/agents/Agent.ts"

interface Artifacts {
  readonly claimCode: string | null
  readonly claimToken: string | null
}

/** The registration of a link, whether or not it is still valid. */
const findRegistration = Effect.fnUntraced(function* ({ claimCode, claimToken }: Artifacts) {
  const claims = yield* Claims
  if (claimCode !== null) return { claim: yield* claims.findByCode(sha256(claimCode)), email: null }
  // Verified as of the past, to tell expired tokens from forged ones.
  const token = claimToken === null ? null : yield* (yield* ClaimTokens).read(claimToken, 0)
  const claim = token === null ? null : yield* claims.findMailed(token.agentId)
  return claim === null || claim.id !== token?.jti ? { claim: null, email: null } : { claim, email: token.email }
})

const stateOf = Effect.fnUntraced(function* (claim: Claim, agent: Agent | null, byToken: boolean) {
  if (agent === null) return "gone" as const
  if (agent.status !== "pending") return "used" as const
  if (claim.usedAtMs !== null) return "replaced" as const
  if (claim.expiresAtMs < (yield* Clock.currentTimeMillis)) return "expired" as const
  const ceremony = yield* (yield* Claims).findMailed(agent.id)
  return ceremony === null || ceremony.verifiedAtMs !== null
    ? ("open" as const)
    : byToken
      ? ("needs_otp" as const)
      : ("by_mail" as const)
})

/** Reads a claim without changing it, because mail programs open links before people do. */
export const lookAtClaim = Effect.fnUntraced(function* (artifacts: Artifacts) {
  const { claim, email } = yield* findRegistration(artifacts)
  if (claim === null) return ClaimView.make({ state: "unknown", persona: null, email: null })
  const agent = yield* (yield* Agents).find(claim.agentId)
  const state = yield* stateOf(claim, agent, artifacts.claimToken !== null)
  return ClaimView.make({
    state,
    persona: agent?.deletedAtMs === null ? agent.persona : null,
    email: email === null ? null : maskAddress(email)
  })
})
