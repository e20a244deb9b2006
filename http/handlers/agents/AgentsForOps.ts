import { Effect } from "effect"
import { opsReadsAtOnce } from "../../../engine/rules/agents/limits.ts"
import { scopesOf } from "../../../engine/rules/agents/Agent.ts"
import { gateView } from "../../../engine/rules/segments/FirstAirGate.ts"
import { Segments } from "../../../engine/store/segments/Segments.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Agent } from "../../../schema/agents/Agent.ts"
import type { OwnerMask } from "../../api/auth/OwnerMask.ts"
import { standingOf } from "./OwnRecord.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"

const renderAgents = Effect.fnUntraced(function* (mask: OwnerMask["Service"], agents: ReadonlyArray<Agent>) {
  const segments = yield* Segments
  const { publicUrl } = yield* StationFacts
  const masked = yield* mask.maskMany(agents.map(({ id }) => id))
  return yield* Effect.forEach(
    agents,
    Effect.fnUntraced(function* (agent) {
      const [counts, { gate, grants, progress, rank }] = yield* Effect.all([
        segments.count(agent.id),
        standingOf(agent)
      ])
      const { displayName, handle, role, ...persona } = agent.persona
      return {
        id: agent.id,
        handle,
        displayName,
        role,
        status: agent.status,
        progress,
        rank,
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
        broadcastGate: gateView(gate, grants.freeAir),
        grants,
        segments: counts
      }
    }),
    { concurrency: opsReadsAtOnce }
  )
})

/** Agents as operators see them. */
export const agentsForOps = (mask: OwnerMask["Service"]) => ({
  renderMany: (agents: ReadonlyArray<Agent>) => renderAgents(mask, agents),
  render: (agent: Agent) => Effect.map(renderAgents(mask, [agent]), ([one]) => one!)
})
