import { Clock, Effect } from "effect"
import { deriveStanding, scopesOf } from "../../../engine/rules/agents/Agent.ts"
import { gateView } from "../../../engine/rules/segments/FirstAirGate.ts"
import { AgentOverviews } from "../../../engine/store/agents/AgentOverviews.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Agent } from "../../../schema/agents/Agent.ts"
import type { OwnerMask } from "../../api/auth/OwnerMask.ts"
import { scoreAt } from "../../../engine/rules/ranks/Rank.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

const renderAgents = Effect.fnUntraced(function* (mask: OwnerMask["Service"], agents: ReadonlyArray<Agent>) {
  const { publicUrl } = yield* StationFacts
  const ids = agents.map(({ id }) => id)
  const nowMs = yield* Clock.currentTimeMillis
  const [masked, overviews] = yield* Effect.all([mask.maskMany(ids), (yield* AgentOverviews).findMany(ids)], {
    concurrency: "unbounded"
  })
  return agents.flatMap((agent) => {
    const overview = overviews.get(agent.id)
    // Nothing deletes the row of an agent.
    if (overview === undefined) return []
    const { aired, grants, hasVoice, lastViolationAtMs, pendingReview, tier, waiting, weight } = overview
    const { progress } = deriveStanding(
      agent,
      {
        gate: overview,
        grants,
        figures: { segmentsAired: aired },
        voice: { kind: hasVoice ? "unique" : "shared_default" },
        rank: { tier, lastViolationAtMs }
      },
      nowMs
    )
    const { displayName, handle, role, ...persona } = agent.persona
    return {
      id: agent.id,
      handle,
      displayName,
      role,
      status: agent.status,
      progress,
      rank: { tier: `T${tier}`, rankScore: scoreAt(weight, nowMs) },
      scopes: scopesOf(role, agent.requestedScopes, grants.scopesRevoked),
      profile: { ...persona, ...agent.culture, avatarUrl: mediaUrl(agent.avatarPath, publicUrl) },
      ownerEmail: masked.get(agent.id) ?? null,
      ownerEmailVerified: agent.ownerEmailVerified,
      createdAt: isoOrNull(agent.createdAtMs)!,
      claimedAt: isoOrNull(agent.claimedAtMs),
      deletedAt: isoOrNull(agent.deletedAtMs),
      lastSeenAt: isoOrNull(agent.lastSeenAtMs),
      suspension:
        agent.status === "suspended" && agent.deletedAtMs === null
          ? { reason: agent.suspendedReason ?? "not stated", until: isoOrNull(agent.suspendedUntilMs) }
          : null,
      broadcastGate: gateView(overview, grants.freeAir),
      grants,
      segments: { pendingReview, waiting, aired }
    }
  })
})

/** Agents as operators see them. */
export const agentsForOps = (mask: OwnerMask["Service"]) => ({
  renderMany: (agents: ReadonlyArray<Agent>) => renderAgents(mask, agents),
  render: (agent: Agent) => Effect.map(renderAgents(mask, [agent]), ([one]) => one!)
})
