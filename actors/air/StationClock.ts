import { Effect, Ref } from "effect"
import type { AirStatus } from "../../schema/air/Air.ts"
import type { GridRevision } from "../../schema/programmes/Block.ts"
import { clockCheckMs, gridLookMs } from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { nextHourTop, type Occurrence, runAt, weekFrom } from "../../engine/rules/time/WeekSchedule.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { hasSucceeded } from "./CandidatePool.ts"

const blockOf = ({ block, endMs, startMs }: Occurrence) => ({
  id: block.id,
  title: block.title,
  startsAt: new Date(startMs).toISOString(),
  endsAt: new Date(endMs).toISOString()
})
/**
 * Publishes the current and next block and signals block and hour boundaries. Time is the sample being heard, so changes of the system
 * clock have no effect. During a store outage the last read week applies.
 */
export const stationClock = Effect.fnUntraced(function* (options: {
  readonly zone: string
  /** The operators' week from an instant on. */
  readonly listWeeks: (fromMs: number) => Effect.Effect<ReadonlyArray<GridRevision>>
  /** Run when a block or an hour begins, or the week changes. */
  readonly boundary: Effect.Effect<unknown>
}) {
  const air = yield* Air
  const bus = yield* EventBus
  const until = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const hourEnds = yield* Ref.make(Number.NEGATIVE_INFINITY)
  const known = yield* Ref.make<{ readonly text: string; readonly revisions: ReadonlyArray<GridRevision> }>({
    text: "",
    revisions: []
  })
  const look = Effect.fnUntraced(function* (status: AirStatus) {
    const nowMs = msOf(status.nowSample)
    let passed = false
    if (nowMs >= (yield* Ref.get(until))) {
      const week = weekFrom((yield* Ref.get(known)).revisions, nowMs)
      const run = runAt(week, options.zone, nowMs)
      yield* bus.put("currentBlock", blockOf(run))
      yield* bus.put("nextBlock", blockOf(runAt(week, options.zone, run.endMs)))
      yield* Ref.set(until, run.endMs)
      passed = true
    }
    if (nowMs >= (yield* Ref.get(hourEnds))) {
      yield* Ref.set(hourEnds, nextHourTop(options.zone, nowMs).atMs)
      passed = true
    }
    if (passed) yield* options.boundary
  })
  /** Reads the week. A change makes the next check publish the block again. */
  const read = hasSucceeded(
    "the week",
    Effect.gen(function* () {
      const revisions = yield* options.listWeeks(msOf((yield* air.status).nowSample))
      const text = JSON.stringify(revisions)
      if ((yield* Ref.get(known)).text === text) return
      yield* Ref.set(known, { text, revisions })
      yield* Ref.set(until, Number.NEGATIVE_INFINITY)
    })
  )
  yield* read
  const repeatEvery = <A, R>(ms: number, step: Effect.Effect<A, never, R>) =>
    Effect.forever(Effect.andThen(step, Effect.sleep(ms)))
  // Two loops, so a slow store doesn't delay an hour.
  return yield* Effect.raceFirst(
    repeatEvery(clockCheckMs, Effect.flatMap(air.status, look)),
    Effect.andThen(Effect.sleep(gridLookMs), repeatEvery(gridLookMs, read))
  )
})
