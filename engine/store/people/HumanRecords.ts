import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { requestStatus } from "../../rules/music/SongRequest.ts"
import { caseOf } from "../sql/airings.ts"
import { rows } from "../sql/rows.ts"

/** Columns with secrets, or with values only the station can interpret. */
const isKept = (column: string): boolean => /(sealed|sha256|hash|command_key|secret|fingerprint)$/.test(column)

const tableRows = rows(Schema.Struct({ name: Schema.String, columns: Schema.Array(Schema.String) }))
/** Rows of any table, with all columns. */
const wholeRows = rows(Schema.Struct({ row: Schema.Record(Schema.String, Schema.Unknown) }))

/** All data of a person. Tables are found in the database's catalog, so new ones are included. */
export class HumanRecords extends Context.Service<HumanRecords>()("longwave/engine/store/HumanRecords", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const tables = tableRows(sql`
      SELECT t.table_name::text AS name, array_agg(c.column_name::text) AS columns
      FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
      WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.column_name IN ('human_id', 'listener_id') GROUP BY t.table_name ORDER BY t.table_name`)
    const belongsTo = (humanId: string, columns: ReadonlyArray<string>) =>
      sql.or([
        ...(columns.includes("human_id") ? [sql`t.human_id = ${humanId}`] : []),
        ...(columns.includes("listener_id")
          ? [sql`t.listener_id IN (SELECT id FROM listeners WHERE human_id = ${humanId})`]
          : [])
      ])
    /** A request's status is stored with its airing. */
    const request = sql.literal(`to_jsonb(t) || (
      SELECT jsonb_build_object('status', ${caseOf("air.state", requestStatus)}, 'status_reason', air.reason, 'displacements', air.displacements, 'item_id', air.placement,
        'scheduled_for', air.expected_at, 'fulfilled_at', air.ended_at, 'updated_at', air.updated_at)
      FROM airings air WHERE air.id = t.id)`)
    const withoutSecrets = (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).filter(([column]) => !isKept(column)))
    return {
      /** Rows by table, of all tables or some: those of the account and of its listeners. Secrets are left out. */
      listAll: Effect.fnUntraced(function* (humanId: string, only?: ReadonlyArray<string>) {
        const found: Record<string, ReadonlyArray<Record<string, unknown>>> = {}
        const humans =
          only === undefined
            ? yield* wholeRows(sql`SELECT to_jsonb(t) AS row FROM humans t WHERE t.id = ${humanId}`)
            : []
        if (humans.length > 0) found["humans"] = humans.map(({ row }) => withoutSecrets(row))
        for (const { columns, name } of (yield* tables).filter(({ name }) => only?.includes(name) ?? true)) {
          const theirs = yield* wholeRows(
            sql`SELECT ${name === "song_requests" ? request : sql`to_jsonb(t)`} AS row FROM ${sql(name)} t WHERE ${belongsTo(humanId, columns)}`
          )
          if (theirs.length > 0) found[name] = theirs.map(({ row }) => withoutSecrets(row))
        }
        return found
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
