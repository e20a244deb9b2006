import { Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import { Station } from "../air/protocol.ts"

/**
 * Tells the station that a segment is ready, without waiting: an answer to an agent must not hang on the rundown.
 * A message that is lost costs nothing but time, as the scheduler reads the queue itself.
 */
export const enqueue = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* Effect.forkDetach(Effect.ignoreCause(station(stationSlug).Enqueue({ segmentId })))
})

/** Takes it off the air if it is being heard, or out of the rundown. */
export const takeOff = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* Effect.forkDetach(Effect.ignoreCause(station(stationSlug).TakeOff({ segmentId })))
})

/** Takes it out of the rundown again, unless it has begun. */
export const withdraw = Effect.fnUntraced(function* (segmentId: SegmentId, reason: string) {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* Effect.forkDetach(Effect.ignoreCause(station(stationSlug).Withdraw({ segmentId, reason })))
})

/** Takes out of the rundown whatever may not air any more. */
export const recheck = Effect.gen(function* () {
  const station = yield* Station.client
  const { stationSlug } = yield* StationConfig
  yield* Effect.forkDetach(Effect.ignoreCause(station(stationSlug).Recheck()))
})
