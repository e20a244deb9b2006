import { Effect } from "effect"
import { recallPatienceMs } from "../../engine/rules/air/limits.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import type { Track } from "../../schema/music/Track.ts"
import { Station } from "../air/protocol.ts"
import { isDryRun } from "./Command.ts"
import { sendLater } from "./protocol.ts"

/**
 * Tells the station that a segment is ready, without waiting: an agent's answer must not depend on the rundown. A lost message only delays
 * the segment, because the scheduler also reads the queue.
 */
export const enqueue = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* sendLater(station(stationSlug).Enqueue({ segmentId }))
})

/** The station's answer, or `unknown` when it doesn't answer in time. */
const answerInTime = <A, E, R>(asked: Effect.Effect<A, E, R>) =>
  asked.pipe(
    Effect.timeoutOrElse({ duration: recallPatienceMs, orElse: () => Effect.succeed("unknown" as const) }),
    Effect.catchCause((cause) =>
      Effect.as(Effect.logWarning("the station could not be asked", cause), "unknown" as const)
    )
  )

/**
 * Asks the station to take the segment off the rundown before an operator's decision on it is undone. `on_air`: it can't any more; `unknown`:
 * the station did not answer in time. In a dry run it takes nothing off.
 */
export const recall = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  return yield* answerInTime(station(stationSlug).Recall({ segmentId, dryRun: yield* isDryRun }))
})

/** The same for a track that was approved at `sinceMs`. */
export const recallTrack = Effect.fnUntraced(function* ({ assetId, id: trackId }: Track, sinceMs: number) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  return yield* answerInTime(station(stationSlug).RecallTrack({ trackId, assetId, sinceMs, dryRun: yield* isDryRun }))
})

/** Removes the segment from the rundown, and ends it if it is on the air. */
export const takeOff = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* sendLater(station(stationSlug).TakeOff({ segmentId }))
})

/** Removes the segment from the rundown unless it has begun. */
export const withdraw = Effect.fnUntraced(function* (segmentId: SegmentId, reason: string) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* sendLater(station(stationSlug).Withdraw({ segmentId, reason }))
})

/** Removes everything from the rundown that may no longer air. */
export const recheck = Effect.gen(function* () {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* sendLater(station(stationSlug).Recheck())
})

/** Plans the rundown again, by changed rules. */
export const replan = Effect.gen(function* () {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* sendLater(station(stationSlug).Replan())
})
