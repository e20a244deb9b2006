import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { rotationCandidatesMax } from "../../../../engine/rules/air/limits.ts"
import { defaultRotation, pick } from "../../../../engine/rules/air/Rotation.ts"
import { Assets } from "../../../../engine/store/sound/Assets.ts"
import { Tracks } from "../../../../engine/store/music/Tracks.ts"
import { airable } from "../../../support/air/Airables.ts"
import { fillTables, TestPostgres } from "../../../support/sql/Postgres.ts"
import { assetOf } from "../../../support/air/StudioDouble.ts"

const shelf = Number(process.env["SHELF_TRACKS"] ?? 20_000)

layer(Layer.mergeAll(Tracks.layer, Assets.layer).pipe(Layer.provideMerge(TestPostgres)), {
  timeout: 300_000,
  excludeTestServices: true
})("the library of tracks", (it) => {
  describe("of any size", () => {
    it.effect(
      "gives the rotation its candidates by index, longest rested first",
      () =>
        Effect.gen(function* () {
          const sql = yield* SqlClient.SqlClient
          const tracks = yield* Tracks
          const asset = assetOf(airable("music", 1, 180))
          yield* (yield* Assets).save(asset)
          yield* fillTables(
            (sql) => sql`
        INSERT INTO tracks (id, asset_id, title, artist, genre, category, is_instrumental, duration_sec, approval_status, source, rotation_class, last_played_at, created_at, updated_at)
        SELECT 'trk_' || lpad(n::text, 26, '0'), ${asset.id}, 'song ' || n, 'artist ' || n % 997, 'jazz', 'song', true, 180,
          CASE WHEN n % 50 = 0 THEN 'held' ELSE 'approved' END, 'house', CASE WHEN n % 3 = 0 THEN 'contributed' ELSE 'house' END,
          CASE WHEN n % 10 = 0 THEN NULL ELSE timestamptz '2026-01-01' + n * interval '1 second' END, now(), now()
        FROM generate_series(1, ${shelf}::int) n`
          )
          yield* fillTables((sql) => sql`ANALYZE tracks`)
          const plan = yield* sql<{ "QUERY PLAN": string }>`
        EXPLAIN SELECT * FROM tracks WHERE rotation_class = 'house' AND approval_status = 'approved' AND category IN ('song', 'instrumental')
        ORDER BY last_played_at NULLS FIRST, id LIMIT 40`
          const said = JSON.stringify(plan)
          expect(said).toContain("tracks_rested")
          expect(said).not.toContain("Seq Scan")
          yield* tracks.listRested(["contributed", "house"], rotationCandidatesMax, 0)
          const before = performance.now()
          const rounds = 20
          for (let turn = 0; turn < rounds; turn++) {
            const candidates = yield* tracks.listRested(["contributed", "house"], rotationCandidatesMax, 0)
            expect(candidates).toHaveLength(2 * rotationCandidatesMax)
            expect(
              candidates.every((one) => one.lastPlayedMs === null || one.lastPlayedMs < Date.UTC(2026, 0, 2))
            ).toBe(true)
            expect(
              pick({ rules: defaultRotation(1), turn, atMs: Date.UTC(2026, 5, 1), candidates, plays: [], genres: [] })
            ).not.toBeNull()
          }
          yield* Effect.logInfo(
            `a decision over ${shelf} tracks: ${((performance.now() - before) / rounds).toFixed(2)} ms`
          )
        }),
      300_000
    )
  })
})
