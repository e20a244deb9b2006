import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { MailSent } from "../../schema/Mail.ts"

export type MailRecord = Omit<MailSent, "at"> & { readonly atMs: number }

/** What was mailed and what became of it: never to whom, nor what it said. */
export class Mails extends Context.Service<Mails, {
  readonly add: (mail: MailRecord) => Effect.Effect<void>
  /** Newest first; null when the cursor is unknown. */
  readonly list: (limit: number, cursor: string | null) => Effect.Effect<{ readonly records: ReadonlyArray<MailRecord>; readonly next: string | null } | null>
}>()("longwave/engine/store/Mails") {
  static readonly layer = Layer.effect(Mails, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Mails.of({
      add: ({ atMs, id, kind, status, way }) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO mails (id, at, kind, way, status) VALUES (${id}, to_timestamp(${atMs}::float8 / 1000), ${kind}, ${way}, ${status}) ON CONFLICT DO NOTHING`)),
      list: Effect.fn("Mails.list")(function*(limit, cursor) {
        const known = cursor === null ? [] : yield* sql`SELECT 1 FROM mails WHERE id = ${cursor}`
        if (cursor !== null && known.length === 0) return null
        const rows = yield* sql<MailRecord>`
          SELECT id, kind, way, status, round(extract(epoch from at) * 1000)::float8 AS at_ms FROM mails
          WHERE ${cursor === null ? sql`true` : sql`(at, id) < (SELECT at, id FROM mails WHERE id = ${cursor})`} ORDER BY mails.at DESC, id DESC LIMIT ${limit + 1}`
        const records = rows.slice(0, limit)
        return { records, next: rows.length > limit ? records.at(-1)!.id : null }
      }, Effect.orDie)
    })
  }))
}
