import { Effect, Ref } from "effect"
import { schedulerTickMs } from "../../engine/rules/air/limits.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { AirableSegments } from "../../engine/store/air/AirableSegments.ts"
import type { SegmentId } from "../../schema/Ids.ts"
import type { Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import { remembering } from "./CandidatePool.ts"

const bookedIn = (rundown: Rundown): ReadonlyArray<SegmentId> =>
  [rundown.onAir, ...rundown.items].flatMap((item) => item?.airable.segmentId ?? [])
/** Tells the store which segments have a place in the rundown, again and again until it took it. */
export const makeBookings = Effect.fnUntraced(function* (fence: number) {
  const segments = yield* AirableSegments
  const told = yield* Ref.make<ReadonlyMap<SegmentId, number>>(new Map())
  const kept = yield* Ref.make<ReadonlyArray<SegmentId>>([])
  const forget = (gone: (id: SegmentId) => boolean) =>
    Ref.update(told, (known) => new Map([...known].filter(([id]) => !gone(id))))
  return {
    forget,
    /** What stood there is all that is scheduled, and what `goOn` names all that is on the air: after a restart everything else waits again. */
    begin: (rundown: Rundown, goOn: ReadonlyArray<RundownItem>) => {
      const keep = [
        ...new Set([...bookedIn(rundown), ...goOn.flatMap(({ airable: { segmentId } }) => segmentId ?? [])])
      ]
      return Effect.andThen(Ref.set(kept, keep), segments.reclaim(keep, ["scheduled", "airing"], fence))
    },
    report: Effect.fnUntraced(function* (rundown: Rundown) {
      const before = yield* Ref.get(told)
      const booked = new Map(
        rundown.items.flatMap((item) =>
          item.airable.segmentId === null ? [] : [[item.airable.segmentId, msOf(item.startSample)] as const]
        )
      )
      for (const [id, atMs] of booked) {
        const known = before.get(id)
        if (known !== undefined && Math.abs(known - atMs) < schedulerTickMs) continue
        if (yield* remembering("the queue", segments.markScheduled(id, atMs, fence)))
          yield* Ref.update(told, (all) => new Map(all).set(id, atMs))
      }
      const onAir = rundown.onAir?.airable.segmentId ?? null
      for (const id of before.keys()) {
        if (
          !booked.has(id) &&
          (id === onAir || (yield* remembering("the queue", segments.markQueued(id, "DISPLACED", fence))))
        )
          yield* forget((other) => other === id)
      }
    }),
    /** One that was taken for begun and then wasn't heard has no place and no log row: it waits again. News are given a tick to arrive. */
    reconcile: Effect.fnUntraced(function* (rundown: Rundown) {
      const now = bookedIn(rundown)
      const before = yield* Ref.getAndSet(kept, now)
      yield* remembering("the queue", segments.reclaim([...new Set([...before, ...now])], ["scheduled"], fence))
    }),
    /** Its sound was asked for often enough. */
    giveUp: (id: SegmentId, why: string) => remembering("the queue", segments.markFailed(id, why, fence)),
    /** Passed over after it was taken for begun. */
    waitsAgain: (id: SegmentId, why: string) => remembering("the queue", segments.markQueued(id, why, fence))
  }
})
