import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { MailKind, MailSent } from "../../../schema/operations/Mail.ts"
import { ms, at } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

const MailRecord = Schema.Struct({
  id: Schema.String,
  kind: MailKind,
  way: MailSent.fields.way,
  status: MailSent.fields.status,
  atMs: Schema.Finite
})
const KeptMail = Schema.Struct({
  ...MailRecord.fields,
  /** Null once it is erased, and for mail from before letters were kept. */
  letterSealed: Schema.NullOr(Schema.String),
  expiresAtMs: Schema.NullOr(Schema.Finite)
})
const keptMail = row(KeptMail)
export type MailRecord = typeof MailRecord.Type

const mails = rows(MailRecord)

/** Sent mails and their status, without recipients and content. */
export class MailsWriter extends Context.Service<MailsWriter>()("longwave/engine/store/MailsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      add: (
        { atMs, id, kind, status, way }: MailRecord,
        letter: { readonly sealed: string; readonly expiresAtMs: number | null }
      ) =>
        run(sql`
        INSERT INTO mails (id, at, kind, way, status, letter_sealed, expires_at)
        VALUES (${id}, ${at(atMs)}, ${kind}, ${way}, ${status}, ${letter.sealed}, ${at(letter.expiresAtMs)}) ON CONFLICT DO NOTHING`),
      find: (id: string) =>
        keptMail(
          sql`SELECT id, kind, way, status, ${ms("at")} AS at_ms, letter_sealed, ${ms("expires_at")} AS expires_at_ms FROM mails WHERE id = ${id}`
        ),
      /** Erases letters that are too old to be sent again. */
      eraseLetters: (beforeMs: number) =>
        countChanged(
          sql`UPDATE mails SET letter_sealed = NULL WHERE ctid = ANY(ARRAY(SELECT ctid FROM mails WHERE letter_sealed IS NOT NULL AND at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM mails WHERE ctid = ANY(ARRAY(SELECT ctid FROM mails WHERE at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* (limit: number, cursor: string | null) {
        const known = cursor === null ? [] : yield* sql`SELECT 1 FROM mails WHERE id = ${cursor}`
        if (cursor !== null && known.length === 0) return null
        const found = yield* mails(sql`
          SELECT id, kind, way, status, ${ms("at")} AS at_ms FROM mails
          WHERE ${cursor === null ? sql`true` : sql`(at, id) < (SELECT at, id FROM mails WHERE id = ${cursor})`} ORDER BY mails.at DESC, id DESC LIMIT ${limit + 1}`)
        const records = found.slice(0, limit)
        return { records, next: found.length > limit ? records.at(-1)!.id : null }
      }, Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Mails extends Context.Service<Mails, Pick<MailsWriter["Service"], "find" | "list">>()(
  "longwave/engine/store/Mails"
) {
  static readonly layer = Layer.effect(this, MailsWriter).pipe(Layer.provideMerge(MailsWriter.layer))
}
