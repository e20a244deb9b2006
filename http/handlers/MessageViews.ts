import { Effect } from "effect"
import { Agents } from "../../engine/store/Agents.ts"
import { Calls } from "../../engine/store/Calls.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { messageView } from "../../engine/rules/Message.ts"
import type { Interaction } from "../../schema/Interaction.ts"
import type { MessageForOps } from "../../schema/Message.ts"

const iso = (ms: number | null) => ms === null ? null : new Date(ms).toISOString()

/** Where reviewers hear a call. */
export const callAudioUrl = (publicUrl: string, id: string): string => `${publicUrl}/media/calls/${id}.flac`

/** Messages as operators see them. */
export const messagesForOps = Effect.fnUntraced(function*(records: ReadonlyArray<Interaction>) {
  const { publicUrl } = yield* StationFacts
  const agents = yield* Agents
  const calls = new Map((yield* (yield* Calls).findMany(records.filter(({ type }) => type === "call_in").map(({ id }) => id))).map((call) => [call.interactionId as string, call]))
  return yield* Effect.forEach(records, (record) => Effect.gen(function*() {
    const agent = record.toAgentId === null ? null : yield* agents.find(record.toAgentId)
    const call = calls.get(record.id)
    const view: MessageForOps = {
      ...messageView(record), flags: record.flags, label: record.listenerLabel, to: agent === null ? record.toShowSlug : `@${agent.persona.handle}`, trackId: record.trackId, source: record.source, createdAt: iso(record.createdAtMs)!,
      call: call === undefined ? null : {
        durationSec: call.durationSec, transcriptStatus: call.transcriptStatus, airStatus: call.airStatus, airReason: call.airReason, expectedAirAt: iso(call.expectedAirAtMs), airedAt: iso(call.airedAtMs),
        audioUrl: callAudioUrl(publicUrl, record.id)
      }
    }
    return view
  }))
})
