import { expect, it } from "@effect/vitest"
import { Clock, Effect, Ref } from "effect"
import { TestClock } from "effect/testing"
import { stationClock } from "../../../actors/air/StationClock.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { gridLookMs } from "../../../engine/rules/air/limits.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { Block, GridRevision } from "../../../schema/programmes/Block.ts"

it.effect("reports the new block after a change of the week, and the old one while the store is away", () =>
  Effect.gen(function* () {
    const startMs = Date.UTC(2027, 5, 22, 16, 30)
    yield* TestClock.setTime(startMs)
    const bus = yield* EventBus
    const week = yield* Ref.make<Effect.Effect<ReadonlyArray<GridRevision>>>(Effect.succeed([]))
    const boundaries = yield* Ref.make(0)
    const status = Effect.map(Clock.currentTimeMillis, (nowMs) => ({ nowSample: sampleOf(nowMs) }))
    yield* Effect.forkScoped(
      stationClock({
        zone: "UTC",
        listWeeks: () => Effect.flatten(Ref.get(week)),
        boundary: Ref.update(boundaries, (n) => n + 1)
      }).pipe(Effect.provideService(Air, { status } as unknown as Air["Service"]))
    )
    const titles = Effect.all([bus.get("currentBlock"), bus.get("nextBlock")]).pipe(
      Effect.map((blocks) => blocks.map((block) => block?.title))
    )
    yield* TestClock.adjust(1_000)
    expect(yield* titles).toEqual(["Open Desk", "Guest Hour"])
    const renamed = defaultGrid.map((block) =>
      block.title === "Open Desk" ? new Block({ ...block, title: "Open House" }) : block
    )
    yield* Ref.set(week, Effect.succeed([new GridRevision({ validFromMs: startMs, blocks: renamed })]))
    const before = yield* Ref.get(boundaries)
    yield* TestClock.adjust(gridLookMs + 2_000)
    expect([yield* titles, yield* Ref.get(boundaries)]).toEqual([["Open House", "Guest Hour"], before + 1])
    yield* Ref.set(week, Effect.die(new Error("the database is away")))
    yield* TestClock.adjust(31 * 60_000)
    expect(yield* titles).toEqual(["Guest Hour", "Evening Frequency"])
  }).pipe(Effect.scoped, Effect.provide(EventBus.layer))
)
