import { Effect, Ref } from "effect"
import type { AirStatus } from "../schema/Air.ts"
import { clockCheckMs } from "../engine/Limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { blockAt, defaultGrid, nextHourTop, type Occurrence } from "../engine/rules/Grid.ts"
import { msOf } from "../engine/rules/Timing.ts"
import { Bus } from "./Bus.ts"

const shown = ({ block, endMs, startMs }: Occurrence) => ({ id: block.id, title: block.title, startsAt: new Date(startMs).toISOString(), endsAt: new Date(endMs).toISOString() })

/**
 * Looks at the station's clock and tells what it means: which block this is, which hour begins. Its time is the sample that is
 * heard; the machine's clock may be set forwards or back without anything here moving.
 */
export const stationClock = Effect.fnUntraced(function*(options: {
  readonly zone: string
  /** A block or an hour has begun. */
  readonly boundary: Effect.Effect<unknown>
}) {
  const air = yield* Air
  const bus = yield* Bus
  const until = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const hourEnds = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const look = Effect.fnUntraced(function*(status: AirStatus) {
    const nowMs = msOf(status.nowSample)
    let passed = false
    if (nowMs >= (yield* Ref.get(until))) {
      const run = blockAt(defaultGrid, options.zone, nowMs)
      yield* bus.put("currentBlock", shown(run))
      yield* bus.put("nextBlock", shown(blockAt(defaultGrid, options.zone, run.endMs)))
      yield* Ref.set(until, run.endMs)
      passed = true
    }
    if (nowMs >= (yield* Ref.get(hourEnds))) {
      yield* Ref.set(hourEnds, nextHourTop(options.zone, nowMs).atMs)
      passed = true
    }
    if (passed) yield* options.boundary
  })
  return yield* Effect.forever(Effect.andThen(Effect.flatMap(air.status, look), Effect.sleep(clockCheckMs)))
})
