import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Page, Paging } from "./Writings.ts"

export interface ReplayFilter extends Paging {
  readonly showSlug: string | null
}

/** How recordings and clips are listed: newest first by one of their times. A page is null when its cursor is unknown. `read` knows the table as `name`. */
export const replayPages = <R>(sql: SqlClient.SqlClient, from: { readonly table: "replays" | "clips"; readonly name: string }, read: (rest: Statement.Fragment) => Effect.Effect<ReadonlyArray<R>>, idOf: (record: R) => string) => {
  const [table, name] = [sql.literal(from.table), sql.literal(from.name)]
  return (column: "published_at" | "created_at", which: Statement.Fragment) => Effect.fnUntraced(function*({ cursor, limit, showSlug }: ReplayFilter): Effect.fn.Return<Page<R> | null> {
    const by = sql.literal(column)
    if (cursor !== null && (yield* Effect.orDie(sql`SELECT 1 FROM ${table} WHERE id = ${cursor} AND ${by} IS NOT NULL`)).length === 0) return null
    const records = yield* read(sql`WHERE ${sql.and([
      which,
      ...showSlug === null ? [] : [sql`${name}.show_slug = ${showSlug}`],
      ...cursor === null ? [] : [sql`(${name}.${by}, ${name}.id) < (SELECT l.${by}, l.id FROM ${table} l WHERE l.id = ${cursor})`]
    ])} ORDER BY ${name}.${by} DESC, ${name}.id DESC LIMIT ${limit + 1}`)
    return { records: records.slice(0, limit), next: records.length > limit ? idOf(records[limit - 1]!) : null }
  })
}
