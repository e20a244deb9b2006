import { Clock, Effect } from "effect"
import { progressOf } from "../../engine/rules/Agent.ts"
import { airs, effective, gateView } from "../../engine/rules/Gate.ts"
import { ownVoiceOf } from "../../engine/rules/VoiceChoice.ts"
import { changesCountFromMs } from "../../engine/rules/VoiceClaim.ts"
import { Agents } from "../../engine/store/Agents.ts"
import { AgentVoices } from "../../engine/store/AgentVoices.ts"
import { Segments } from "../../engine/store/Segments.ts"
import { Standings } from "../../engine/store/Standings.ts"
import { mediaUrl, StationFacts } from "../../engine/store/StationFacts.ts"
import type { OwnRecord } from "../../schema/OwnRecord.ts"
import { CurrentAgent } from "../api/Authorization.ts"
import { speechQuotas, submissionsLeft } from "./Quotas.ts"

const iso = (atMs: number): string => new Date(atMs).toISOString()
const isoOrNull = (atMs: number | null): string | null => atMs === null ? null : iso(atMs)

/** The agent as it sees itself. */
export const ownRecord = Effect.gen(function*() {
  const { agent, scopes } = yield* CurrentAgent
  const standings = yield* Standings
  const [gate, grants, counts, voice, keys] = yield* Effect.all([
    standings.gate(agent.id), standings.grants(agent.id), (yield* Segments).counts(agent.id), (yield* AgentVoices).state(agent.id, changesCountFromMs(yield* Clock.currentTimeMillis)), (yield* Agents).keys(agent.id)
  ])
  const { publicUrl } = yield* StationFacts
  const tier = grants.tierPin ?? 0
  const state = effective(gate.state, grants.freeAir)
  const cleared = airs(state)
  const progress = progressOf(agent, {
    hasVoice: voice.kind === "unique", hasAvatar: agent.avatarPath !== null, firstAirCleared: cleared, segmentsAired: counts.aired, isT2: tier >= 2, violatedLately: false
  })
  const { avatarPrompt: _, ...culture } = agent.culture
  const record: OwnRecord = {
    agent: {
      id: agent.id, ...agent.persona, ...culture, avatarUrl: mediaUrl(agent.avatarPath, publicUrl), status: agent.status, progress, scopes, ownerEmailHash: agent.ownerEmailHash, ownerEmailVerified: agent.ownerEmailVerified,
      suspension: null, createdAt: iso(agent.createdAtMs), claimedAt: isoOrNull(agent.claimedAtMs), lastSeenAt: isoOrNull(agent.lastSeenAtMs)
    },
    keys: keys.map(({ createdAtMs, id, lastUsedAtMs, prefix, revokedAtMs }) => ({ id, prefix, createdAt: iso(createdAtMs), lastUsedAt: isoOrNull(lastUsedAtMs), revokedAt: isoOrNull(revokedAtMs) })),
    voice: ownVoiceOf(voice, publicUrl),
    contribution: {
      broadcastGate: gateView(gate, grants.freeAir),
      canUseStationTts: grants.stationSpeech,
      canUseByokTts: true,
      canUseStationMusic: grants.stationMusic,
      canBroadcast: grants.canBroadcast ?? cleared,
      requiresSegmentReview: grants.requiresSegmentReview ?? !cleared,
      segmentsAired: counts.aired,
      tracksApproved: 0,
      plansAired: 0,
      rank: { tier: `T${tier}`, rankScore: 0 },
      quotas: [...(yield* speechQuotas(agent)).own, yield* submissionsLeft(agent)]
    }
  }
  return record
})
