import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { describe, expect, it } from "vitest"
import { StationConfig } from "../../../engine/runtime/Config.ts"
import { defaultGrid } from "../../../engine/rules/time/WeekSchedule.ts"
import { simulate } from "../../../engine/rules/simulation/Simulation.ts"
import { figuresOf } from "../../../engine/rules/simulation/SimulationFigures.ts"
import { databaseAt, readerAt } from "../../../engine/store/sql/Database.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { HousePieces, HousePiecesWriter } from "../../../engine/store/music/HousePieces.ts"
import { simulationText } from "../../../http/simulation/SimulationReport.ts"
import { SimulationStores, stageOf } from "../../../http/simulation/SimulationInput.ts"
import { airable } from "../../support/air/Airables.ts"
import { addTracks } from "../../../bench/instruments/data/LargeLibrary.ts"
import { runOnOwnDatabase } from "../../support/sql/Postgres.ts"
import { offerRequests } from "../../support/air/Airings.ts"

const config = StationConfig.fromEnvironment({ DATA_DIR: "/var" })
const fromMs = Date.UTC(2026, 5, 3, 9)

describe("the simulation of a station", () => {
  it(
    "reads everything from its store, in a read-only session",
    () =>
      runOnOwnDatabase((url) =>
        Effect.runPromise(
          Effect.gen(function* () {
            yield* addTracks(url, 1, 120)
            const asked = yield* Effect.gen(function* () {
              const pieces = yield* HousePiecesWriter
              yield* (yield* Fences).stationId
              for (const [n, role] of (["ident", "bed"] as const).entries())
                yield* pieces.save({ name: role, hour: null, airable: airable(role, n, 8) })
              const sql = yield* SqlClient.SqlClient
              yield* sql`UPDATE assets SET body = body || '{"loudness": {"integratedLufs": -16.2}}'`
              const [track] = yield* sql<{
                id: string
              }>`SELECT id FROM tracks WHERE approval_status = 'approved' ORDER BY id LIMIT 1`
              yield* sql`
        INSERT INTO song_requests (id, track_id, command_key, listener_label, source, acknowledged, created_at, expires_at, updated_at)
        VALUES ('sreq_00000000000000000000000001', ${track!.id}, 'k', 'a listener', 'api', true, now(), now() + interval '6 hours', now())`
              yield* offerRequests
              return track!.id
            }).pipe(
              Effect.provide(Layer.mergeAll(HousePieces.layer, Fences.layer).pipe(Layer.provideMerge(databaseAt(url))))
            )
            yield* Effect.gen(function* () {
              const stage = yield* stageOf({ fromMs, toMs: fromMs + 3 * 3_600_000, zone: "Europe/Berlin", seed: 1 })
              expect(stage.tracks.length).toBe(118)
              expect([stage.house.idents.length, stage.house.beds.length]).toEqual([1, 1])
              expect(stage.grid[0]!.blocks.length).toBe(defaultGrid.length)
              expect(stage.happenings).toMatchObject([{ _tag: "Request", airable: { trackId: asked } }])
              const figures = figuresOf(stage, simulate(stage))
              expect(figures.broken).toEqual([])
              expect(figures.items).toBeGreaterThan(40)
              const text = simulationText(figures, { source: "a test", seed: 1, faults: false, tookSec: 1 })
              expect(text).toContain("all promises kept")
              expect(text).toContain("2026-06-03")
              expect(text).toContain(
                `${figures.loudness.measured} of ${figures.items} items measured, 0 sounds off their loudness`
              )
              expect(figures.loudness.measured).toBeGreaterThan(30)
              const sql = yield* SqlClient.SqlClient
              // 25006: a read-only transaction.
              expect(JSON.stringify(yield* Effect.flip(sql`UPDATE tracks SET title = 'another'`))).toContain(
                '"code":"25006"'
              )
            }).pipe(Effect.provide(SimulationStores.pipe(Layer.provideMerge(readerAt(url)))))
          }).pipe(Effect.provide(Layer.mergeAll(config, NodeServices.layer)))
        )
      ),
    300_000
  )
})
