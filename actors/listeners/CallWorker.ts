import { Clock, Effect } from "effect"
import {
  addressHashHours,
  callInDays,
  callRetrySec,
  callTriesMax,
  messagesPurgeMinutes,
  writeInDays
} from "../../engine/rules/listeners/limits.ts"
import { callKeyOf, CallSound } from "../../engine/ports/CallSound.ts"
import { Transcriber } from "../../engine/ports/Transcriber.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { type CallRecord, Calls } from "../../engine/store/listeners/Calls.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import { Meters } from "../../engine/store/sql/Meters.ts"
import type { AssetId } from "../../schema/Ids.ts"
import { backOff, every, jobHandler, later, periodicJob } from "../runtime/Jobs.ts"
import { Audience, type CallOutcome } from "./protocol/Audience.ts"
import { ProcessCall } from "./protocol/Jobs.ts"

const atOnce = 50
const retryMs = callRetrySec * 1_000
/** Under an id that follows from the call's: made again after a crash, it is the same file. */
const assetIdOf = ({ interactionId }: CallRecord) => `mas_${interactionId.slice(4)}` as AssetId
const soundOf = (call: CallRecord) =>
  Effect.flatMap(CallSound, (sound) => sound.master(call.interactionId, assetIdOf(call))).pipe(
    Effect.map((asset): CallOutcome => ({ _tag: "Made", asset })),
    Effect.catchTag("Unairable", ({ code, detail }) =>
      Effect.succeed<CallOutcome>({ _tag: "Unfit", reason: `${code}: ${detail}` })
    )
  )
/** Null where no machine can write it down: a person has to. */
const wordsOf = (call: CallRecord) =>
  Effect.flatMap(Transcriber, ({ transcribe }) => transcribe(callKeyOf(call.interactionId))).pipe(
    Effect.catch(({ again, detail }) =>
      again
        ? Effect.fail(new Error(detail))
        : Effect.as(Effect.logWarning(`calls: ${call.interactionId} was not written down`, detail), null)
    )
  )
const processCall = jobHandler(ProcessCall, {
  triesMax: callTriesMax,
  restMs: backOff(retryMs, retryMs * 2 ** callTriesMax),
  work: Effect.fn("Calls.process")(function* ({ interactionId }) {
    const call = yield* (yield* Calls).find(interactionId)
    const audience = (yield* Audience.client)(interactionId)
    if (call?.airStatus === "preparing") {
      const outcome = yield* soundOf(call).pipe(
        Effect.catchTags({
          MediaStoreUnavailable: ({ detail }) => later(retryMs, detail),
          ObjectsUnavailable: ({ detail }) => later(retryMs, detail)
        })
      )
      // The station's disk or storage is at fault, not the call.
      if (!("_tag" in outcome)) return outcome
      yield* audience.SettleCall({ interactionId, outcome })
    }
    if (call?.transcriptStatus === "queued")
      yield* audience.SettleTranscript({ interactionId, transcript: yield* wordsOf(call) })
    return undefined
  }),
  givenUp: Effect.fn("Calls.giveUp")(function* ({ interactionId }, why) {
    const call = yield* (yield* Calls).find(interactionId)
    const audience = (yield* Audience.client)(interactionId)
    if (call?.airStatus === "preparing")
      yield* audience.SettleCall({ interactionId, outcome: { _tag: "Unfit", reason: why } })
    if (call?.transcriptStatus === "queued") yield* audience.SettleTranscript({ interactionId, transcript: null })
  })
})
/** What listeners sent and nobody aired is gone when its time is over. */
export const purgeMessages = Effect.fn("Messages.purge")(function* () {
  const audience = yield* Audience.client
  const interactions = yield* Interactions
  const nowMs = yield* Clock.currentTimeMillis
  const over = [
    ...(yield* interactions.stale(["write_in", "dedication"], nowMs - writeInDays * dayMs, atOnce)),
    ...(yield* interactions.stale(["call_in"], nowMs - callInDays * dayMs, atOnce)),
    ...(yield* (yield* Calls).unswept(nowMs - callInDays * dayMs, atOnce))
  ]
  // A day's meter is full again after a day: two days after it was used nobody knows whose it was.
  yield* (yield* Meters).forgetGuests(nowMs - (addressHashHours - 24) * hourMs)
  yield* Effect.forEach(over, (interactionId) => audience(interactionId).DiscardMessage({ interactionId }), {
    discard: true
  })
})
export const callJobs = [
  processCall,
  periodicJob("listeners.purge_messages", { next: every(messagesPurgeMinutes * 60_000), work: purgeMessages() })
] as const
