import { Effect } from "effect"
import {
  callInDays,
  callRetrySec,
  callTriesMax,
  messagesPurgeMinutes,
  writeInDays
} from "../../engine/rules/listeners/limits.ts"
import { callKeyOf, CallSound } from "../../engine/ports/CallSound.ts"
import { Transcriber } from "../../engine/ports/Transcriber.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { Calls } from "../../engine/store/listeners/Calls.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import type { AssetId, InteractionId } from "../../schema/Ids.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, purgeJob } from "../runtime/Jobs.ts"
import { type CallOutcome, Message } from "./protocol/Message.ts"
import { PrepareCall, TranscribeCall } from "./protocol/Jobs.ts"

const retryMs = callRetrySec * 1_000
const tries = { triesMax: callTriesMax, restMs: backOff(retryMs, retryMs * 2 ** callTriesMax) }
const atOnce = 50
/** Derived from the call's id, so a retry after a crash writes the same file. */
const assetIdOf = (id: InteractionId) => `mas_${id.slice(4)}` as AssetId

const settle = Effect.fnUntraced(function* (interactionId: InteractionId, outcome: CallOutcome) {
  yield* (yield* Message.client)(interactionId).SettleCall({ interactionId, outcome })
})
const prepareCall = jobHandler(PrepareCall, {
  ...tries,
  work: Effect.fnUntraced(function* ({ interactionId }) {
    if ((yield* (yield* Calls).find(interactionId))?.airStatus !== "preparing") return
    // A storage fault is not a fault of the call: retry.
    const retryLater = ({ detail }: { readonly detail: string }) => rescheduleAfter(retryMs, detail)
    return yield* (yield* CallSound).master(interactionId, assetIdOf(interactionId)).pipe(
      Effect.map((asset): CallOutcome => ({ _tag: "Made", asset })),
      Effect.catchTag("Unairable", ({ code, detail }) =>
        Effect.succeed<CallOutcome>({ _tag: "Unfit", reason: `${code}: ${detail}` })
      ),
      Effect.flatMap((outcome) => settle(interactionId, outcome)),
      Effect.catchTags({ MediaStoreUnavailable: retryLater, ObjectsUnavailable: retryLater })
    )
  }),
  giveUp: ({ interactionId }, why) => settle(interactionId, { _tag: "Unfit", reason: why })
})

/** Stores the transcript. Null: a person has to write it. */
const settleTranscript = Effect.fnUntraced(function* (interactionId: InteractionId, transcript: string | null) {
  yield* (yield* Message.client)(interactionId).SettleTranscript({ interactionId, transcript })
})
const transcribeCall = jobHandler(TranscribeCall, {
  ...tries,
  work: Effect.fnUntraced(function* ({ interactionId }) {
    if ((yield* (yield* Calls).find(interactionId))?.transcriptStatus !== "queued") return
    const transcript = yield* (yield* Transcriber)
      .transcribe(callKeyOf(interactionId))
      .pipe(
        Effect.catch((fault) =>
          fault.again
            ? Effect.fail(new Error(fault.detail))
            : Effect.as(Effect.logWarning(`calls: ${interactionId} was not transcribed`, fault.detail), null)
        )
      )
    yield* settleTranscript(interactionId, transcript)
  }),
  giveUp: ({ interactionId }) => settleTranscript(interactionId, null)
})

/** Discards messages past their retention, at most 50 a run: each has files, and an actor that may hold it. */
const discard = Effect.fnUntraced(function* (over: ReadonlyArray<InteractionId>) {
  const message = yield* Message.client
  yield* Effect.forEach(over, (interactionId) => message(interactionId).DiscardMessage({ interactionId }), {
    discard: true
  })
  return over.length
})
const next = repeatEvery(messagesPurgeMinutes * 60_000)
export const messagePurges = [
  purgeJob("listeners.purge_write_ins", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(Interactions, ({ listStale }) =>
        Effect.flatMap(listStale(["write_in", "dedication"], nowMs - writeInDays * dayMs, atOnce), discard)
      )
  }),
  purgeJob("listeners.purge_calls", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(Interactions, ({ listStale }) =>
        Effect.flatMap(listStale(["call_in"], nowMs - callInDays * dayMs, atOnce), discard)
      )
  }),
  purgeJob("listeners.sweep_aired_calls", {
    next,
    batch: (nowMs) =>
      Effect.flatMap(Calls, ({ listUnswept }) =>
        Effect.flatMap(listUnswept(nowMs - callInDays * dayMs, atOnce), discard)
      )
  })
] as const

export const callJobs = [prepareCall, transcribeCall, ...messagePurges] as const
