import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import { Station } from "../air/protocol.ts"
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
