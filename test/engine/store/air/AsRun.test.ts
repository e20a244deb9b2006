import { describe, expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { sealOf, verifyAsRun } from "../../../../actors/air/AsRunAudit.ts"
import { AsRunKey } from "../../../../engine/runtime/AsRunKey.ts"
import { sampleOf } from "../../../../schema/time/Samples.ts"
import { AsRun, type AsRunSeal, AsRunWriter } from "../../../../engine/store/air/AsRun.ts"
import type { AsRunEntry } from "../../../../schema/air/AsRun.ts"
import { RundownItem } from "../../../../schema/air/Rundown.ts"
import { airable, testId } from "../../../support/air/Airables.ts"
import { fillTables, TestPostgres } from "../../../support/sql/Postgres.ts"

const base = sampleOf(Date.UTC(2026, 10, 20, 12, 58))
const second = 48_000
const entry = (n: number, fromSec: number, sec: number, more: Partial<AsRunEntry> = {}): AsRunEntry => ({
  itemId: testId("itm", n),
  kind: "music",
  role: "music",
  title: `song ${n}`,
  artist: "somebody",
  segmentId: null,
  trackId: testId("trk", n),
  agentId: null,
  assetId: testId("mas", n),
  firstSample: base + fromSec * second,
  lastSample: base + (fromSec + sec) * second - 1,
  outcome: "complete",
  layers: [],
  trace: ["rotation"],
  pcmSha256: "ab",
  ...more
})
/** Seals all due hours; returns their number. */
const sealed = Effect.fnUntraced(function* (stationId: string, by: AsRunSeal) {
  const asRun = yield* AsRunWriter
  let hours = 0
  while (yield* asRun.seal(stationId, by)) hours++
  return hours
})
/** Bypasses the trigger, as a person with access to the database could. */
const tamper = Effect.fnUntraced(function* (statement: string) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.unsafe("ALTER TABLE as_run DISABLE TRIGGER as_run_append_only")
  yield* sql.unsafe(statement)
  yield* sql.unsafe("ALTER TABLE as_run ENABLE TRIGGER as_run_append_only")
})
layer(Layer.mergeAll(AsRun.layer, AsRunKey.ephemeral).pipe(Layer.provideMerge(TestPostgres)), { timeout: 300_000 })(
  "the as-run log",
  (it) => {
    describe("of a station", () => {
      it.effect("accounts for every sample once, with a proof", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const seal = sealOf(yield* AsRunKey, 3)
          yield* asRun.append("a", [entry(1, 0, 60), entry(2, 60, 60)], seal)
          // The same rows again, as after a crash; then a gap while the station was down; then a row that begins during the
          // previous one.
          yield* asRun.append("a", [entry(1, 0, 60), entry(2, 60, 60)], seal)
          yield* asRun.append("a", [entry(3, 150, 30), entry(4, 170, 30)], seal)
          const rows = yield* asRun.rows("a", {
            fromSeq: 0,
            fromSample: 0,
            toSample: Number.MAX_SAFE_INTEGER,
            limit: 100
          })
          expect(
            rows.map(({ body }) => [
              body!.seq,
              body!.outcome,
              (body!.firstSample - base) / second,
              (body!.lastSample + 1 - base) / second
            ])
          ).toEqual([
            [1, "complete", 0, 60],
            [2, "complete", 60, 120],
            [3, "off_air", 120, 150],
            [4, "complete", 150, 180],
            [5, "complete", 170, 200]
          ])
          const told: Array<number> = []
          const hear = (done: number, total: number) => Effect.sync(() => void told.push(done / total))
          expect(yield* verifyAsRun("a", undefined, hear)).toMatchObject({ rows: 5, fault: null })
          // The end of the log is checked after its rows.
          expect(told).toEqual([0.99])
          expect(yield* verifyAsRun("a", "2026-11-20")).toMatchObject({ rows: 5, fault: null })
          expect(yield* verifyAsRun("a", "2026-11-21")).toMatchObject({ rows: 0, fault: null })
          expect(yield* asRun.roots("a", 10)).toEqual([])
          yield* sealed("a", seal)
          const roots = yield* asRun.roots("a", 10)
          expect(roots).toMatchObject([{ hourMs: Date.UTC(2026, 10, 20, 12), firstSeq: 1, lastSeq: 2 }])
        })
      )

      it.effect("keeps rows of overlapping sounds, and notices a sound that never continued", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const seal = sealOf(yield* AsRunKey, 1)
          // A voice over a whole short song and into the next; an emergency that cuts two items at once.
          const over = { stillSoundingFromSample: base + 10 * second }
          yield* asRun.append(
            "o",
            [
              entry(1, 0, 10),
              entry(3, 12, 8, over),
              entry(2, 10, 15),
              entry(4, 24, 16, { outcome: "cut" }),
              entry(5, 30, 10, { outcome: "cut" })
            ],
            seal
          )
          yield* asRun.append(
            "o",
            [
              entry(3, 12, 8, over),
              entry(2, 10, 15),
              entry(4, 24, 16, { outcome: "cut" }),
              entry(5, 30, 10, { outcome: "cut" })
            ],
            seal
          )
          const rows = yield* asRun.rows("o", {
            fromSeq: 0,
            fromSample: 0,
            toSample: Number.MAX_SAFE_INTEGER,
            limit: 100
          })
          expect(
            rows.map(({ body }) => [
              body!.itemId!.slice(-1),
              (body!.firstSample - base) / second,
              (body!.lastSample + 1 - base) / second
            ])
          ).toEqual([
            ["1", 0, 10],
            ["3", 12, 20],
            ["2", 10, 25],
            ["4", 24, 40],
            ["5", 30, 40]
          ])
          expect(yield* verifyAsRun("o")).toMatchObject({ rows: 5, fault: null })
          expect(
            (yield* asRun.history("o", { types: [], before: { _tag: "Now" }, limit: 10 })).map(({ title }) => title)
          ).toEqual(["song 5", "song 4", "song 3", "song 2", "song 1"])
          yield* asRun.append("p", [entry(1, 0, 10), entry(3, 12, 8, over), entry(4, 20, 10)], seal)
          expect(yield* verifyAsRun("p")).toMatchObject({ rows: 3, fault: null })
          yield* asRun.append("p", [entry(5, 90, 10)], seal)
          expect((yield* verifyAsRun("p")).fault).toEqual({
            seq: 4,
            reason: `what sounded from sample ${base + 10 * second} on has no row`
          })
        })
      )

      it.effect("reads a whole day if a sound crosses midnight over the start of another", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const midnight = (sampleOf(Date.UTC(2026, 10, 21)) - base) / second
          yield* asRun.append(
            "d",
            [
              entry(1, midnight - 20, 10),
              entry(3, midnight + 1, 4, { stillSoundingFromSample: base + (midnight - 10) * second }),
              entry(2, midnight - 10, 20),
              entry(4, midnight + 10, 10)
            ],
            sealOf(yield* AsRunKey, 1)
          )
          for (const [day, rows] of [
            ["2026-11-20", 3],
            ["2026-11-21", 3]
          ] as const)
            expect(yield* verifyAsRun("d", day)).toMatchObject({ rows, fault: null })
        })
      )

      it.effect("can't be edited through the database, and names the first forged row", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const sql = yield* SqlClient.SqlClient
          const seal = sealOf(yield* AsRunKey, 1)
          yield* asRun.append(
            "t",
            [1, 2, 3, 4].map((n) => entry(n, n * 30, 30)),
            seal
          )
          expect((yield* Effect.exit(sql`UPDATE as_run SET title = 'x' WHERE station_id = 't'`))._tag).toBe("Failure")
          expect((yield* Effect.exit(sql`DELETE FROM as_run WHERE station_id = 't'`))._tag).toBe("Failure")
          yield* tamper("UPDATE as_run SET title = 'another' WHERE station_id = 't' AND seq = 3")
          expect((yield* verifyAsRun("t")).fault).toEqual({
            seq: 3,
            reason: "its columns don't say what its text says"
          })
          yield* tamper("UPDATE as_run SET title = 'song 3' WHERE station_id = 't' AND seq = 3")
          expect((yield* verifyAsRun("t")).fault).toBeNull()
          yield* tamper(
            "UPDATE as_run SET text = replace(text, 'song 2', 'song 9'), title = 'song 9' WHERE station_id = 't' AND seq = 2"
          )
          expect((yield* verifyAsRun("t")).fault).toEqual({ seq: 2, reason: "its text is not what was hashed" })
          yield* tamper(
            "UPDATE as_run SET text = replace(text, 'song 9', 'song 2'), title = 'song 2' WHERE station_id = 't' AND seq = 2"
          )
          expect((yield* verifyAsRun("t")).fault).toBeNull()
          // Two rows exchanged.
          yield* tamper(
            "UPDATE as_run SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE station_id = 't' AND seq IN (2, 3)"
          )
          yield* tamper("UPDATE as_run SET seq = -seq WHERE station_id = 't' AND seq < 0")
          expect((yield* verifyAsRun("t")).fault).toEqual({
            seq: 2,
            reason: "its number is not the one that was hashed"
          })
          yield* tamper(
            "UPDATE as_run SET seq = CASE seq WHEN 2 THEN -3 ELSE -2 END WHERE station_id = 't' AND seq IN (2, 3)"
          )
          yield* tamper("UPDATE as_run SET seq = -seq WHERE station_id = 't' AND seq < 0")
          expect((yield* verifyAsRun("t")).fault).toBeNull()
          // One row inserted: a copy of another, the best forgery without the key.
          yield* tamper(
            "INSERT INTO as_run SELECT station_id, 5, fence, item_id, kind, role, title, segment_id, track_id, agent_id, asset_id, first_sample, last_sample, outcome, text, prev_hash, hash, signature FROM as_run WHERE station_id = 't' AND seq = 4"
          )
          expect((yield* verifyAsRun("t")).fault).toEqual({
            seq: 5,
            reason: "its number is not the one that was hashed"
          })
          // The end removed.
          yield* tamper("DELETE FROM as_run WHERE station_id = 't' AND seq > 3")
          expect((yield* verifyAsRun("t")).fault).toEqual({
            seq: 4,
            reason: "row 4 is missing: the log goes on to row 4"
          })
          expect((yield* verifyAsRun("t", "2026-11-20")).fault).toMatchObject({ seq: 4 })
          yield* tamper(
            "UPDATE as_run_heads SET seq = 3, hash = (SELECT hash FROM as_run WHERE station_id = 't' AND seq = 3) WHERE station_id = 't'"
          )
          expect((yield* verifyAsRun("t")).fault).toEqual({
            seq: 3,
            reason: "that the log ends here was not signed by this station"
          })
          yield* tamper("DELETE FROM as_run_heads WHERE station_id = 't'")
          expect((yield* verifyAsRun("t")).fault).toMatchObject({ seq: 3 })
          yield* tamper("DELETE FROM as_run WHERE station_id = 't' AND seq = 2")
          expect((yield* verifyAsRun("t")).fault).toEqual({ seq: 3, reason: "row 2 is missing" })
          yield* tamper("DELETE FROM as_run WHERE station_id = 't' AND seq < 3")
          expect((yield* verifyAsRun("t")).fault).toMatchObject({ seq: 3 })
        })
      )

      it.effect("seals every hour, also one that ends within an item, and notices a changed or missing root", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const sql = yield* SqlClient.SqlClient
          const seal = sealOf(yield* AsRunKey, 1)
          // From 12:58 on, three minutes each: no item ends at the end of an hour or day.
          yield* asRun.append(
            "r",
            Array.from({ length: 300 }, (_, i) => entry(i + 1, i * 180, 180)),
            seal
          )
          // Stored separately from the rows: until then the log is consistent.
          expect(yield* asRun.roots("r", 100)).toEqual([])
          expect((yield* verifyAsRun("r")).fault).toBeNull()
          expect(yield* sealed("r", seal)).toBe(14)
          const hours = (yield* asRun.roots("r", 100))
            .map(({ firstSeq, hourMs, lastSeq }) => [new Date(hourMs).getUTCHours(), firstSeq, lastSeq])
            .toReversed()
          expect(hours.slice(0, 3)).toEqual([
            [13, 1, 20],
            [14, 21, 40],
            [15, 41, 60]
          ])
          expect(hours).toHaveLength(14)
          expect(yield* verifyAsRun("r")).toMatchObject({ rows: 300, fault: null })
          expect(yield* verifyAsRun("r", "2026-11-20")).toMatchObject({ fault: null })
          expect(yield* verifyAsRun("r", "2026-11-21")).toMatchObject({ fault: null })
          yield* sql`UPDATE as_run_roots SET root = 'ff' WHERE station_id = 'r' AND first_seq = 41`
          expect((yield* verifyAsRun("r")).fault).toEqual({
            seq: 41,
            reason: "the root of its hour was not signed by this station"
          })
          yield* sql`DELETE FROM as_run_roots WHERE station_id = 'r' AND first_seq = 41`
          expect((yield* verifyAsRun("r")).fault).toEqual({ seq: 41, reason: "the root of its hour is missing" })
        })
      )

      it.effect("accepts rows while sealing fails, and seals the hours afterwards", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const sql = yield* SqlClient.SqlClient
          const seal = sealOf(yield* AsRunKey, 1)
          yield* sql`ALTER TABLE as_run_roots RENAME TO as_run_roots_away`
          yield* asRun.append("w", [entry(1, 0, 3_600), entry(2, 3_600, 3_600), entry(3, 7_200, 3_600)], seal)
          expect((yield* Effect.exit(asRun.seal("w", seal)))._tag).toBe("Failure")
          yield* sql`ALTER TABLE as_run_roots_away RENAME TO as_run_roots`
          expect(yield* sealed("w", seal)).toBe(2)
          expect(yield* sealed("w", seal)).toBe(0)
          expect(yield* verifyAsRun("w")).toMatchObject({ rows: 3, fault: null })
        })
      )

      it.effect("reports missing roots of more hours than an outage explains", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const seal = sealOf(yield* AsRunKey, 1)
          yield* asRun.append(
            "u",
            Array.from({ length: 30 }, (_, i) => entry(i + 1, i * 3_600, 3_600)),
            seal
          )
          expect((yield* verifyAsRun("u")).fault).toEqual({ seq: 1, reason: "the root of its hour is missing" })
        })
      )

      it.effect("finds no fault in a log that grows during the check", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const seal = sealOf(yield* AsRunKey, 1)
          yield* asRun.append("m", [entry(1, 0, 60), entry(2, 60, 60), entry(3, 120, 60)], seal)
          const runOutside = Effect.runPromiseWith(yield* Effect.context<never>())
          // The hour ends between two runs: its root includes a row that was missing in the first.
          const rows: typeof asRun.rows = (stationId, ask) =>
            Effect.tap(asRun.rows(stationId, ask), () =>
              Effect.promise(() => runOutside(asRun.append("m", [entry(4, 180, 60), entry(5, 240, 3_600)], seal)))
            )
          expect(yield* verifyAsRun("m").pipe(Effect.provideService(AsRun, { ...asRun, rows }))).toMatchObject({
            rows: 3,
            fault: null
          })
          expect(yield* verifyAsRun("m")).toMatchObject({ rows: 5, fault: null })
        })
      )

      it.effect("refuses a replaced incarnation", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const key = yield* AsRunKey
          yield* asRun.append("f", [entry(1, 0, 30)], sealOf(key, 5))
          const late = yield* Effect.flip(asRun.append("f", [entry(2, 30, 30)], sealOf(key, 4)))
          expect(late._tag).toBe("FenceLost")
          const item = new RundownItem({
            id: testId("itm", 9),
            airable: airable("music", 9, 60),
            placement: { _tag: "Flow" },
            startSample: base,
            locked: false,
            trace: []
          })
          yield* asRun.open("f", { item, firstSample: base, asOfSample: base }, 5)
          expect((yield* Effect.flip(asRun.open("f", { item, firstSample: base, asOfSample: base }, 4)))._tag).toBe(
            "FenceLost"
          )
          const other = new RundownItem({ ...item, id: testId("itm", 10) })
          yield* asRun.open("f", { item: other, firstSample: base + 30 * second, asOfSample: base + 35 * second }, 5)
          expect(yield* asRun.listOpen("f")).toMatchObject([
            { firstSample: base, fence: 5, item: { id: item.id } },
            { asOfSample: base + 35 * second, item: { id: other.id } }
          ])
          yield* asRun.append("f", [entry(9, 30, 10)], sealOf(key, 5))
          expect((yield* asRun.listOpen("f")).map(({ item: { id } }) => id)).toEqual([other.id])
          yield* asRun.close("f", other.id, 4)
          expect(yield* asRun.listOpen("f")).toHaveLength(1)
          yield* asRun.close("f", other.id, 5)
          expect(yield* asRun.listOpen("f")).toEqual([])
        })
      )

      it.effect("returns the history newest first, by type, before an item or a time", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          yield* asRun.append(
            "h",
            [
              entry(1, 0, 30),
              entry(2, 30, 30, { kind: "segment", role: "segment" }),
              entry(3, 60, 30, { itemId: null, kind: "other", outcome: "emergency" }),
              entry(4, 90, 30, { outcome: "cut" })
            ],
            sealOf(yield* AsRunKey, 1)
          )
          const ask = { types: [], before: { _tag: "Now" as const }, limit: 10 }
          expect((yield* asRun.history("h", ask)).map((airing) => [airing.title, airing.complete])).toEqual([
            ["song 4", false],
            ["song 2", true],
            ["song 1", true]
          ])
          expect((yield* asRun.history("h", { ...ask, types: ["segment"] })).map((airing) => airing.title)).toEqual([
            "song 2"
          ])
          expect(
            (yield* asRun.history("h", { ...ask, before: { _tag: "Item", itemId: testId("itm", 2) } })).map(
              (airing) => airing.title
            )
          ).toEqual(["song 1"])
          expect(
            (yield* asRun.history("h", {
              ...ask,
              before: { _tag: "Time", atMs: Date.UTC(2026, 10, 20, 12, 58, 31) }
            })).map((airing) => airing.title)
          ).toEqual(["song 2", "song 1"])
          expect((yield* asRun.listPlays("h", 2)).map((play) => play.assetId)).toEqual([
            testId("mas", 3),
            testId("mas", 4)
          ])
        })
      )

      it.effect("reads few rows to append, show or verify, at any length", () =>
        Effect.gen(function* () {
          const asRun = yield* AsRunWriter
          const sql = yield* SqlClient.SqlClient
          const seal = sealOf(yield* AsRunKey, 1)
          const rows = 5_000
          yield* fillTables(
            (sql) => sql`
            INSERT INTO as_run (station_id, seq, fence, item_id, kind, title, first_sample, last_sample, outcome, text, prev_hash, hash, signature)
            SELECT 'long', n, 1, 'itm_' || n, 'music', 'song', ${base}::bigint + (n - 1) * ${second}, ${base}::bigint + n * ${second} - 1, 'complete', '{}', '', '', '' FROM generate_series(1, ${rows}::bigint) n`
          )
          yield* fillTables(
            (sql) => sql`
            INSERT INTO as_run_roots (station_id, hour_ms, first_seq, last_seq, root, signature)
            SELECT 'long', n * 3600000, n, n, '', '' FROM generate_series(1, ${rows}::bigint) n`
          )
          yield* fillTables((sql) => sql`ANALYZE as_run, as_run_roots`)
          const read = Effect.map(
            sql<{
              n: number
            }>`SELECT sum(seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relname IN ('as_run', 'as_run_roots')`,
            ([found]) => found!.n
          )
          const touched = sql.withTransaction(
            Effect.gen(function* () {
              const counts: Array<number> = []
              for (const reading of [
                asRun.append("long", [entry(1, rows, 10)], seal),
                asRun.end("long"),
                asRun.history("long", { types: [], before: { _tag: "Now" }, limit: 1 }),
                asRun.roots("long", 5),
                asRun.rows("long", { fromSeq: rows - 5, fromSample: 0, toSample: Number.MAX_SAFE_INTEGER, limit: 1 })
              ]) {
                const before = yield* read
                yield* reading
                counts.push((yield* read) - before)
              }
              return counts
            })
          )
          expect((yield* touched).filter((count) => count > 200)).toEqual([])
        })
      )
    })
  }
)
