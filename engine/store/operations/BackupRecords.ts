import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { backupsListed } from "../../rules/operations/limits.ts"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { type BackupCheck, BackupRecord } from "../../../schema/operations/Backup.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const one = row(BackupRecord)
const many = rows(BackupRecord)

/** The backups that operators asked for. Their files are on disk. */
export class BackupRecordsWriter extends Context.Service<BackupRecordsWriter>()(
  "longwave/engine/store/BackupRecordsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const columns = sql.literal(
        `id, state, progress, bytes::float8 AS bytes, sha256, detail, requested_by, verdict, ${msText("requested_at")} AS requested_at_ms, ${msText("ended_at")} AS ended_at_ms`
      )
      return {
        add: (id: string, by: string, atMs: number) =>
          run(
            sql`INSERT INTO backups (id, state, progress, requested_by, requested_at) VALUES (${id}, 'waiting', 0, ${by}, ${at(atMs)}) ON CONFLICT DO NOTHING`
          ),
        progress: (id: string, percent: number) =>
          run(
            sql`UPDATE backups SET state = 'running', progress = ${percent} WHERE id = ${id} AND state IN ('waiting', 'running')`
          ),
        markMade: (id: string, file: { readonly bytes: number; readonly sha256: string }, atMs: number) =>
          run(
            sql`UPDATE backups SET state = 'made', progress = 100, bytes = ${file.bytes}, sha256 = ${file.sha256}, detail = NULL, ended_at = ${at(atMs)} WHERE id = ${id}`
          ),
        markFailed: (id: string, detail: string, atMs: number) =>
          run(
            sql`UPDATE backups SET state = 'failed', detail = ${detail}, ended_at = ${at(atMs)} WHERE id = ${id} AND state <> 'made'`
          ),
        verdict: (id: string, verdict: BackupCheck | null) =>
          run(
            sql`UPDATE backups SET verdict = ${verdict === null ? null : JSON.stringify(verdict)}::text::jsonb WHERE id = ${id}`
          ),
        find: (id: string) => one(sql`SELECT ${columns} FROM backups WHERE id = ${id}`),
        /** One is being made or waits for it. */
        underWay: one(sql`SELECT ${columns} FROM backups WHERE state IN ('waiting', 'running') LIMIT 1`),
        list: many(sql`SELECT ${columns} FROM backups ORDER BY requested_at DESC, id DESC LIMIT ${backupsListed}`),
        /** Made ones beyond the newest `keep`, oldest last. */
        surplus: (keep: number) =>
          many(
            sql`SELECT ${columns} FROM backups WHERE state = 'made' ORDER BY requested_at DESC, id DESC OFFSET ${keep} LIMIT ${purgeRows}`
          ),
        remove: (id: string) => run(sql`DELETE FROM backups WHERE id = ${id}`),
        purge: (beforeMs: number) =>
          countChanged(
            sql`DELETE FROM backups WHERE ctid = ANY(ARRAY(SELECT ctid FROM backups WHERE state = 'failed' AND requested_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class BackupRecords extends Context.Service<
  BackupRecords,
  Pick<BackupRecordsWriter["Service"], "find" | "list" | "underWay">
>()("longwave/engine/store/BackupRecords") {
  static readonly layer = Layer.effect(this, BackupRecordsWriter).pipe(Layer.provideMerge(BackupRecordsWriter.layer))
}
