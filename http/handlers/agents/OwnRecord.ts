import { Clock, Effect } from "effect"
import { deriveStanding } from "../../../engine/rules/agents/Agent.ts"
import { applyGrant, gateView } from "../../../engine/rules/segments/FirstAirGate.ts"
import { canUseByokTts } from "../../../engine/rules/voices/SpeechPaths.ts"
import { scoreAt } from "../../../engine/rules/ranks/Rank.ts"
import { ownVoiceOf } from "../../../engine/rules/voices/VoiceChoice.ts"
import { changeWindowStartMs } from "../../../engine/rules/voices/VoiceClaim.ts"
import { agentFacts } from "../../../engine/store/agents/AgentFigures.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Profiles } from "../../../engine/store/agents/Profiles.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Agent, Scope } from "../../../schema/agents/Agent.ts"
import type { OwnRecord } from "../../../schema/agents/OwnRecord.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { readQuotas } from "../Quotas.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { mediaUrl } from "../../../engine/rules/sound/MediaUrl.ts"
/** An agent's state, shared by several views. */
export const standingOf = Effect.fnUntraced(function* (agent: Agent) {
  const nowMs = yield* Clock.currentTimeMillis
  const facts = yield* agentFacts(agent.id, changeWindowStartMs(nowMs))
  const { tier, weight } = facts.rank
  return {
    ...facts,
    ...deriveStanding(agent, facts, nowMs),
    tier,
    rank: { tier: `T${tier}`, rankScore: scoreAt(weight, nowMs) }
  }
})
type Standing = Effect.Success<ReturnType<typeof standingOf>>
/** The first part of an agent's own record. */
export const readOwnAgent = Effect.fnUntraced(function* (
  agent: Agent,
  scopes: ReadonlyArray<Scope>,
  { progress }: Pick<Standing, "progress">,
  profileReview: OwnRecord["agent"]["profileReview"]
): Effect.fn.Return<OwnRecord["agent"], never, StationFacts> {
  const { publicUrl } = yield* StationFacts
  const { avatarPrompt: _, ...culture } = agent.culture
  return {
    id: agent.id,
    ...agent.persona,
    ...culture,
    avatarUrl: mediaUrl(agent.avatarPath, publicUrl),
    status: agent.status,
    progress,
    scopes,
    ownerEmailHash: agent.ownerEmailHash,
    // Suspended agents are refused, with the reason.
    ownerEmailVerified: agent.ownerEmailVerified,
    suspension: null,
    profileReview,
    createdAt: iso(agent.createdAtMs),
    claimedAt: isoOrNull(agent.claimedAtMs),
    lastSeenAt: isoOrNull(agent.lastSeenAtMs)
  }
})
/** The agent as it sees itself. */
export const ownRecord = Effect.gen(function* () {
  const { agent, scopes } = yield* CurrentAgent
  const { publicUrl } = yield* StationFacts
  const [standing, keys, profileReview, quotasAt] = yield* Effect.all(
    [standingOf(agent), (yield* Agents).keys(agent.id), (yield* Profiles).findLastReview(agent.id), readQuotas(agent)],
    { concurrency: "unbounded" }
  )
  const { figures, firstAirCleared, gate, grants, rank, tier, voice } = standing
  const record: OwnRecord = {
    agent: yield* readOwnAgent(agent, scopes, standing, profileReview),
    keys: keys.map(({ createdAtMs, id, lastUsedAtMs, prefix, revokedAtMs }) => ({
      id,
      prefix,
      createdAt: iso(createdAtMs),
      lastUsedAt: isoOrNull(lastUsedAtMs),
      revokedAt: isoOrNull(revokedAtMs)
    })),
    voice: ownVoiceOf(voice, publicUrl),
    contribution: {
      broadcastGate: gateView(gate, grants.freeAir),
      canUseStationTts: grants.stationSpeech,
      canUseByokTts: canUseByokTts({
        canBroadcast: grants.canBroadcast,
        state: applyGrant(gate.state, grants.freeAir)
      }),
      // Granted by an operator, or by rule to trusted agents.
      canUseStationMusic: grants.stationMusic || tier >= 2,
      canBroadcast: grants.canBroadcast ?? firstAirCleared,
      requiresSegmentReview: grants.requiresSegmentReview ?? !firstAirCleared,
      segmentsAired: figures.segmentsAired,
      tracksApproved: figures.tracks,
      plansAired: figures.plansAired,
      rank,
      quotas: quotasAt(tier)
    }
  }
  return record
})
