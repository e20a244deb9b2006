import { Clock, Effect, Layer, Stream } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  houseReadTickSec,
  houseReadsAtOnceMax,
  scheduledForLateHours,
  segmentQueuedDays,
  segmentUnreviewedDays,
  showBoundDays,
  speechHoldRestSec
} from "../../engine/rules/segments/limits.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { Reviews } from "../../engine/store/moderation.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { SpeechHolds } from "../../engine/store/voices/SpeechHolds.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { Studio } from "./protocol/Studio.ts"
import { quietly, superviseForEver } from "../runtime/Supervision.ts"

/** One round: scripts that wait for a voice are read by their agents' studios, and what has waited too long is ended. */
export const houseRound = Effect.fn("HouseReads.round")(function* () {
  const { houseReads } = yield* StationConfig
  const segments = yield* Segments
  const studio = yield* Studio.client
  const now = yield* Clock.currentTimeMillis
  const overdue = yield* segments.overdue(
    {
      unreviewedMs: now - segmentUnreviewedDays * dayMs,
      queuedMs: now - segmentQueuedDays * dayMs,
      showBoundMs: now - showBoundDays * dayMs,
      scheduledForMs: now - scheduledForLateHours * hourMs
    },
    houseReadsAtOnceMax
  )
  yield* Effect.forEach(overdue, ({ agentId, id }) => studio(agentId).Expire({ segmentId: id }), { discard: true })
  const left = yield* (yield* SpeechHolds).agentsBefore(now - speechHoldRestSec * 1_000, houseReadsAtOnceMax)
  yield* Effect.forEach(left, (agentId) => studio(agentId).ReleaseHolds(), { discard: true })
  // What its agent has planned to be heard is asked for, and no reading of the house's own accord.
  const planned = yield* segments.unread("plans", houseReadsAtOnceMax)
  const unread =
    houseReads === "off" ? planned : [...planned, ...(yield* segments.unread("queue", houseReadsAtOnceMax))]
  const read = yield* Effect.forEach(unread, ({ agentId, id }) => studio(agentId).ReadForHouse({ segmentId: id }))
  return read.filter(Boolean).length
})
/**
 * The reader of the house. It is woken by every segment that is queued, and looks by itself as well: what came in while the
 * station was down, or while the day's airtime was used up, is read all the same.
 */
export const ScriptReaderLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const calls = bus.events.pipe(
      Stream.filter(({ event }) => event._tag === "SegmentQueued"),
      Stream.map(() => undefined)
    )
    const reviews = yield* Reviews
    let known = 0
    /** A promise to answer that wasn't kept is told to operators; when it grows, again. It never decides anything. */
    const remind = Effect.gen(function* () {
      const late = yield* reviews.overdue(yield* Clock.currentTimeMillis)
      if (late > known)
        yield* bus.publish({
          _tag: "OpsAlerted",
          what: "reviews_overdue",
          detail: `${late} submissions wait longer for a review than was promised.`
        })
      known = late
    })
    const rounds = Stream.merge(calls, Stream.tick(`${houseReadTickSec} seconds`)).pipe(
      // Many calls during one round are one call.
      Stream.buffer({ capacity: 1, strategy: "sliding" }),
      // A store that is away for a while is no fault of the reader's: the next round comes.
      Stream.runForEach(() => quietly("house reads: a round was left out", Effect.andThen(remind, houseRound())))
    )
    yield* Effect.forkScoped(superviseForEver("HouseReads", houseReadTickSec * 1_000, rounds))
  })
)
