import { Clock, Effect, Layer, Schedule, Context } from "effect"
import {
  addressHashHours,
  callInDays,
  callLeaseSec,
  callRetrySec,
  callTickSec,
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
import { work, type Wakeup, makeWakeup } from "../runtime/Wakeup.ts"
import { renewLease } from "../runtime/renewLease.ts"
import { Audience, type CallOutcome } from "./protocol/Audience.ts"
import { quietly } from "../runtime/Supervision.ts"

/** Calls the worker for listeners' calls. */
export class CallBell extends Context.Service<CallBell, Wakeup>()("longwave/actors/CallBell") {
  static readonly layer = Layer.effect(CallBell, makeWakeup)
}
const leaseMs = callLeaseSec * 1_000
const atOnce = 50
/** Under an id that follows from the call's: made again after a crash, it is the same file. */
const assetIdOf = ({ interactionId }: CallRecord) => `mas_${interactionId.slice(4)}` as AssetId
/** Null when the station's disk or storage is at fault: it is tried again. */
const soundOf = (call: CallRecord) =>
  Effect.flatMap(CallSound, (sound) => sound.master(call.interactionId, assetIdOf(call))).pipe(
    Effect.map((asset): CallOutcome => ({ _tag: "Made", asset })),
    Effect.catchTags({
      Unairable: ({ code, detail }) => Effect.succeed<CallOutcome>({ _tag: "Unfit", reason: `${code}: ${detail}` }),
      MediaStoreUnavailable: ({ detail }) =>
        Effect.as(Effect.logWarning(`calls: ${call.interactionId} waits for the media store`, detail), null),
      ObjectsUnavailable: ({ detail }) =>
        Effect.as(Effect.logWarning(`calls: ${call.interactionId} waits for the media store`, detail), null)
    })
  )
const wordsOf = (call: CallRecord) =>
  Effect.flatMap(Transcriber, ({ transcribe }) => transcribe(callKeyOf(call.interactionId))).pipe(
    Effect.map((transcript): { readonly transcript: string | null } | null => ({ transcript })),
    Effect.catch(({ again, detail }) =>
      Effect.as(
        Effect.logWarning(`calls: ${call.interactionId} was not written down`, detail),
        again ? null : { transcript: null }
      )
    )
  )
/** One step for one call. What has no end yet is tried again, later each time, and after enough tries a person has to do it. */
const worked = Effect.fnUntraced(function* (call: CallRecord) {
  const calls = yield* Calls
  const audience = (yield* Audience.client)(call.interactionId)
  const { interactionId } = call
  const isLast = call.tries >= callTriesMax
  const later = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
    calls.postpone(interactionId, nowMs + callRetrySec * 1_000 * 2 ** (call.tries - 1))
  )
  if (call.airStatus === "preparing") {
    const outcome =
      (yield* soundOf(call)) ??
      (isLast ? { _tag: "Unfit" as const, reason: "the media store could not be used" } : null)
    return yield* outcome === null ? later : audience.SettleCall({ interactionId, outcome })
  }
  const words = (yield* wordsOf(call)) ?? (isLast ? { transcript: null } : null)
  return yield* words === null ? later : audience.SettleTranscript({ interactionId, ...words })
})
/** Takes what waits, one after the other, until nothing does. What a process that died had begun is taken up when its lease has ended. */
export const callRound = Effect.fn("CallJobs.round")(function* () {
  const calls = yield* Calls
  for (;;) {
    const nowMs = yield* Clock.currentTimeMillis
    const call = yield* calls.lease(nowMs, nowMs + leaseMs)
    if (call === null) return
    // Stopped in order, the next start need not wait for the lease to end.
    yield* Effect.onInterrupt(
      renewLease(leaseMs, (atMs) => calls.postpone(call.interactionId, atMs + leaseMs))(worked(call)),
      () => Effect.ignoreCause(calls.postpone(call.interactionId, 0))
    )
  }
})
/** What listeners sent and nobody aired is gone when its time is over. */
export const messagesRound = Effect.fn("Messages.round")(function* () {
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
/** The worker for calls: woken by every call and every approval, and looking by itself for what was left. */
export const CallWorkerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* work("CallJobs", yield* CallBell, callTickSec, callRound())
    yield* quietly("messages: a round was left out", messagesRound()).pipe(
      Effect.repeat(Schedule.spaced(`${messagesPurgeMinutes} minutes`)),
      Effect.forkScoped
    )
  })
).pipe(Layer.provide(CallBell.layer))
