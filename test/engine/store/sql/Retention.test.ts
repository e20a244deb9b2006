import { expect, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { allJobs } from "../../../../actors/Jobs.ts"
import { cleanupJobs } from "../../../../actors/operations/CleanupWorker.ts"
import { EventBus } from "../../../../actors/runtime/EventBus.ts"
import { purgeRows } from "../../../../engine/rules/runtime/limits.ts"
import { BackupRecordsWriter } from "../../../../engine/store/operations/BackupRecords.ts"
import { SimulationsWriter } from "../../../../engine/store/operations/Simulations.ts"
import { AlertsWriter } from "../../../../engine/store/operations/Alerts.ts"
import { MailsWriter } from "../../../../engine/store/operations/Mails.ts"
import { OperatorsWriter } from "../../../../engine/store/operations/Operators.ts"
import { PointMoves, RanksWriter } from "../../../../engine/store/ranks/Ranks.ts"
import { IdempotencyKeys } from "../../../../engine/store/sql/IdempotencyKeys.ts"
import { Jobs } from "../../../../engine/store/sql/Jobs.ts"
import { Meters } from "../../../../engine/store/sql/Meters.ts"
import { OutboxReaders } from "../../../../engine/store/sql/OutboxReaders.ts"
import { dayMs } from "../../../../schema/time/Units.ts"
import { runJobs } from "../../../support/runtime/RunJobs.ts"
import { bounded, boundedTable, retention, retentionTable } from "../../../support/Retention.ts"
import { TestPostgres } from "../../../support/sql/Postgres.ts"

const World = Layer.mergeAll(
  AlertsWriter.layer,
  BackupRecordsWriter.layer,
  SimulationsWriter.layer,
  EventBus.layer,
  IdempotencyKeys.layer,
  Jobs.layer,
  MailsWriter.layer,
  Meters.layer,
  OperatorsWriter.layer,
  OutboxReaders.layer,
  PointMoves.layer,
  RanksWriter.layer
).pipe(Layer.provideMerge(TestPostgres))
const nowMs = Date.now()
const old = 2 * purgeRows + 5

layer(World, { excludeTestServices: true })("retention", (it) => {
  it.effect("finds by an index what each agent leaves that is deleted in a batch", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // An index with a condition serves only if every row that names an agent fulfils it.
      expect(
        yield* sql`
          SELECT c.conrelid::regclass::text || '.' || a.attname AS scanned
          FROM pg_constraint c JOIN pg_attribute a ON a.attrelid = c.conrelid AND a.attnum = c.conkey[1]
          WHERE c.contype = 'f' AND c.confrelid = 'agents'::regclass AND NOT EXISTS (
            SELECT 1 FROM pg_index i WHERE i.indrelid = c.conrelid AND i.indkey[0] = a.attnum AND i.indisvalid
              AND (i.indpred IS NULL OR pg_get_expr(i.indpred, i.indrelid) = format('(%I IS NOT NULL)', a.attname)))`
      ).toEqual([])
    })
  )

  it.effect("is decided for every table of the schema, and enforced by an existing job", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ tableName: string }>`
        SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'`
      const decided = [...retention, ...bounded].flatMap(({ tables }) => tables)
      expect(decided.filter((table, at) => decided.indexOf(table) !== at)).toEqual([])
      expect(found.map(({ tableName }) => tableName).filter((table) => !decided.includes(table))).toEqual([])
      // The cluster creates its own tables at its start.
      expect(
        decided.filter((table) => !table.startsWith("cluster_") && found.every(({ tableName }) => tableName !== table))
      ).toEqual([])
      const jobs: ReadonlyArray<string> = allJobs.map(({ name }) => name)
      expect(retention.filter(({ job }) => !jobs.includes(job))).toEqual([])
      expect(new Set(jobs).size).toBe(jobs.length)
      expect(readFileSync("README.md", "utf8")).toContain(retentionTable)
      expect(readFileSync("docs/operating.md", "utf8")).toContain(boundedTable)
    })
  )

  it.effect("deletes old rows only, in any number, and keeps the sum of points", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = (days: number) => new Date(nowMs - days * dayMs).toISOString()
      const count = (table: string) =>
        Effect.map(sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.literal(table)}`, ([found]) => found!.n)
      for (const [rows, days] of [
        [old, 500],
        [7, 1]
      ] as const) {
        yield* sql`INSERT INTO outbox (id, at, event, sequence) SELECT ${at(days)} || n, ${at(days)}::timestamptz, '{}', nextval('outbox_sequence') FROM generate_series(1, ${rows}::int) n`
        yield* sql`INSERT INTO mails (id, at, kind, way, status) SELECT ${at(days)} || n, ${at(days)}::timestamptz, 'code', 'smtp', 'sent' FROM generate_series(1, ${rows}::int) n`
        yield* sql`INSERT INTO points (agent_id, code, subject_id, points, at) SELECT 'agt_a', CASE n % 5 WHEN 0 THEN 'lost' ELSE 'won' END, ${at(days)} || n, CASE n % 5 WHEN 0 THEN -1 ELSE 2 END, ${at(days)}::timestamptz FROM generate_series(1, ${rows}::int) n`
        yield* sql`INSERT INTO idempotency_keys (scope_sha256, body_sha256, state, is_secret, created_at) SELECT ${at(days)} || n, '', 'done', false, ${at(days / 2)}::timestamptz FROM generate_series(1, ${rows}::int) n`
        yield* sql`INSERT INTO meters (name, empty_at_ms, day) SELECT ${at(days)} || n, ${nowMs - (days - 1.5) * dayMs}::float8, 0 FROM generate_series(1, ${rows}::int) n`
      }
      // A reader that hasn't read the last five of the old events.
      const [place] = yield* sql<{
        sequence: number
      }>`SELECT min(sequence)::int + ${old - 6}::int AS sequence FROM outbox`
      yield* sql`INSERT INTO outbox_readers (name, sequence) VALUES ('slow', ${place!.sequence})`
      const moves = yield* PointMoves
      const earned = yield* moves.sumEarned("agt_a")
      yield* runJobs(cleanupJobs)
      yield* Effect.repeat((yield* RanksWriter).foldBefore(nowMs - 400 * dayMs), { while: (rows) => rows >= purgeRows })
      for (const table of ["mails", "points", "idempotency_keys", "meters"])
        expect([table, yield* count(table)]).toEqual([table, 7])
      expect(yield* count("outbox")).toBe(12)
      expect(yield* moves.sumEarned("agt_a")).toBe(earned)
      expect(
        yield* sql`SELECT code, lost, count::int AS count, points::int AS points FROM point_totals ORDER BY code`
      ).toEqual([
        { code: "lost", lost: true, count: 401, points: -401 },
        { code: "won", lost: false, count: old - 401, points: 2 * (old - 401) }
      ])
      yield* sql`UPDATE outbox_readers SET sequence = sequence + 1000000`
      yield* runJobs(cleanupJobs)
      expect(yield* count("outbox")).toBe(7)
    })
  )
})
