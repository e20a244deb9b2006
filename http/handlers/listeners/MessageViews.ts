import { Effect } from "effect"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Calls } from "../../../engine/store/listeners/Calls.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { messageView } from "../../../engine/rules/listeners/Message.ts"
import type { MessageForOps, Interaction } from "../../../schema/listeners/Message.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"
/** Address of a call's sound for reviewers. */
export const callAudioUrl = (publicUrl: string, id: string): string => `${publicUrl}/media/calls/${id}.flac`
/** Messages as operators see them. */
export const messagesForOps = Effect.fnUntraced(function* (records: ReadonlyArray<Interaction>) {
  const { publicUrl } = yield* StationFacts
  const agents = yield* Agents
  const calls = new Map(
    (yield* (yield* Calls).findMany(records.filter(({ type }) => type === "call_in").map(({ id }) => id))).map(
      (call) => [call.interactionId as string, call]
    )
  )
  return yield* Effect.forEach(records, (record) =>
    Effect.gen(function* () {
      const agent = record.toAgentId === null ? null : yield* agents.find(record.toAgentId)
      const call = calls.get(record.id)
      const view: MessageForOps = {
        ...messageView(record),
        flags: record.flags,
        label: record.listenerLabel,
        to: agent === null ? record.toShowSlug : `@${agent.persona.handle}`,
        trackId: record.trackId,
        source: record.source,
        createdAt: isoOrNull(record.createdAtMs)!,
        call:
          call === undefined
            ? null
            : {
                durationSec: call.durationSec,
                transcriptStatus: call.transcriptStatus,
                airStatus: call.airStatus,
                airReason: call.airReason,
                expectedAirAt: isoOrNull(call.expectedAirAtMs),
                airedAt: isoOrNull(call.airedAtMs),
                audioUrl: callAudioUrl(publicUrl, record.id)
              }
      }
      return view
    })
  )
})
