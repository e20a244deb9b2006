import { describe, expect, layer } from "@effect/vitest"
import { Effect, FileSystem, Layer, Schedule } from "effect"
import { verifyAsRun } from "../../../actors/air/AsRunAudit.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ActorCluster } from "../../../actors/runtime/Cluster.ts"
import { Station } from "../../../actors/air/protocol.ts"
import { StationLive } from "../../../actors/air/Station.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { AsRunKey } from "../../../engine/runtime/AsRunKey.ts"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { AsRun } from "../../../engine/store/air/AsRun.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { makeAirDouble } from "../../support/air/AirDouble.ts"
import { testId } from "../../support/air/Airables.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { Stores } from "../../../engine/store/Stores.ts"
import { makeStudioDouble } from "../../support/air/StudioDouble.ts"

const Config = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return StationConfig.fromEnvironment({
      DATA_DIR: yield* files.makeTempDirectoryScoped({ prefix: "longwave-station-" })
    })
  })
)

const Store = Layer.mergeAll(Stores, IdSource.layer, Keys.layer).pipe(
  Layer.provideMerge(Config),
  Layer.provideMerge(TestPostgres)
)

const World = StationLive.pipe(
  Layer.provideMerge(ActorCluster),
  Layer.provideMerge(
    Layer.mergeAll(
      EventBus.layer,
      ActorTree.layer,
      AsRunKey.ephemeral,
      makeStudioDouble().layer,
      Layer.effect(
        Air,
        Effect.map(makeAirDouble, ({ air }) => air)
      )
    )
  ),
  Layer.provideMerge(Store)
)

const by = { actor: "test", reason: "a test" }

/** Polls until the condition holds; the test's own time limit ends the wait. */
const until = <A, E, R>(ask: Effect.Effect<A, E, R>, so: (answer: A) => boolean) =>
  ask.pipe(Effect.repeat({ schedule: Schedule.spaced(50), until: (answer) => so(answer) }))

layer(World, { timeout: 300_000, excludeTestServices: true })("the station as an actor over Postgres", (it) => {
  describe("with its scheduler running", () => {
    it.effect(
      "plans, airs, and answers requests",
      () =>
        Effect.gen(function* () {
          const station = (yield* Station.client)("longwave")
          const bus = yield* EventBus
          const view = yield* until(station.GetRundown(), ({ items }) => items.length >= 12)
          expect(view.items.every((line) => line.trace.length > 0 && line.durationMs > 0)).toBe(true)
          // An item that is still on the air at the next request.
          const onAir = yield* until(station.GetRundown(), (now) => now.onAir !== null && now.onAir.durationMs > 20_000)
          const now = yield* until(bus.get("nowPlaying"), (snapshot) => snapshot?.item.id === onAir.onAir!.id)
          expect(now!.next).not.toBeNull()
          expect((yield* bus.get("currentBlock"))!.title.length).toBeGreaterThan(0)

          const skipped = yield* station.Skip({ itemId: onAir.onAir!.id, ...by })
          const again = yield* station.Skip({ itemId: onAir.onAir!.id, ...by })
          expect(again.revision).toBeLessThanOrEqual(skipped.revision + 3)
          const after = yield* until(
            station.GetRundown(),
            (now) => now.onAir !== null && now.onAir.id !== onAir.onAir!.id
          )
          expect(skipped.items.slice(0, 3).map((line) => line.id)).toContain(after.onAir!.id)

          expect((yield* station.Hold({ ...by })).held).toBe(true)
          expect((yield* station.Resume({ ...by })).held).toBe(false)
          expect((yield* station.Emergency({ ...by })).emergency).toBe(true)
          expect((yield* station.ClearEmergency({ ...by })).emergency).toBe(false)

          // A song in the middle: idents and items at the horizon change with every plan.
          const last = (yield* station.GetRundown()).items.filter(({ role }) => role === "music")[3]!
          const moved = yield* station.Move({ itemId: last.id, before: null, ...by })
          expect(moved.items.slice(0, 4).map((line) => line.id)).toContain(last.id)
          // Not the item that was moved to the front: it may have begun, and an item that has begun can't be dropped.
          const later = moved.items.filter(({ id, role }) => role === "music" && id !== last.id)[4]!
          const dropped = yield* station.Drop({ itemId: later.id, ...by })
          expect(dropped.items.some((line) => line.id === later.id)).toBe(false)
          expect((yield* Effect.flip(station.Drop({ itemId: testId("itm", 1), ...by })))._tag).toBe("NotInRundown")

          const stationId = yield* (yield* Fences).stationId
          const asRun = yield* AsRun
          const airings = yield* until(
            asRun.history(stationId, { types: [], before: { _tag: "Now" }, limit: 20 }),
            (rows) => rows.some((row) => row.itemId === onAir.onAir!.id)
          )
          expect(airings.find((row) => row.itemId === onAir.onAir!.id)!.complete).toBe(false)
          expect(yield* verifyAsRun(stationId)).toMatchObject({ fault: null })
          // Nothing is open between two items.
          const opened = yield* until(asRun.listOpen(stationId), (open) => open.length > 0)
          expect(opened.every(({ fence }) => fence === 1)).toBe(true)
        }),
      300_000
    )
  })
})
