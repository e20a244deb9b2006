import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Secrets, and what only the station can make sense of. */
const isKept = (column: string): boolean => /(sealed|sha256|hash|command_key|secret)$/.test(column)

/** All there is of a person, in every table there is: a table that is added later is not forgotten. */
export class HumanRecords extends Context.Service<HumanRecords, {
  /** Rows by table, of all or of some: those of the account, and those of the listeners that belong to it. Secrets are left out. */
  readonly all: (humanId: string, only?: ReadonlyArray<string>) => Effect.Effect<Record<string, ReadonlyArray<Record<string, unknown>>>>
}>()("longwave/engine/store/HumanRecords") {
  static readonly layer = Layer.effect(HumanRecords, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const tables = sql<{ name: string; columns: ReadonlyArray<string> }>`
      SELECT t.table_name::text AS name, array_agg(c.column_name::text) AS columns
      FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
      WHERE t.table_schema = current_schema() AND t.table_type = 'BASE TABLE' AND c.column_name IN ('human_id', 'listener_id') GROUP BY t.table_name ORDER BY t.table_name`
    const whose = (humanId: string, columns: ReadonlyArray<string>) => sql.or([
      ...columns.includes("human_id") ? [sql`t.human_id = ${humanId}`] : [],
      ...columns.includes("listener_id") ? [sql`t.listener_id IN (SELECT id FROM listeners WHERE human_id = ${humanId})`] : []
    ])
    const readable = (row: Record<string, unknown>) => Object.fromEntries(Object.entries(row).filter(([column]) => !isKept(column)))
    return HumanRecords.of({
      all: Effect.fn("HumanRecords.all")(function*(humanId, only) {
        const found: Record<string, ReadonlyArray<Record<string, unknown>>> = {}
        const humans = only === undefined ? yield* sql<{ row: Record<string, unknown> }>`SELECT to_jsonb(t) AS row FROM humans t WHERE t.id = ${humanId}` : []
        if (humans.length > 0) found["humans"] = humans.map(({ row }) => readable(row))
        for (const { columns, name } of (yield* tables).filter(({ name }) => only?.includes(name) ?? true)) {
          const rows = yield* sql<{ row: Record<string, unknown> }>`SELECT to_jsonb(t) AS row FROM ${sql(name)} t WHERE ${whose(humanId, columns)}`
          if (rows.length > 0) found[name] = rows.map(({ row }) => readable(row))
        }
        return found
      }, Effect.orDie)
    })
  }))
}
