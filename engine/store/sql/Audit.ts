import { createHash } from "node:crypto"
import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AuditRow } from "../../../schema/moderation/Review.ts"
import { msText, at } from "./instants.ts"
import { row, rows, run } from "./rows.ts"

/** An operator's action before its entry in the chain. */
export interface Act {
  readonly id: string
  readonly atMs: number
  readonly actor: string
  readonly action: string
  readonly subject: { readonly type: string; readonly id: string }
  readonly reason: string | null
  readonly before: unknown
  readonly after: unknown
}

export interface AuditFilter {
  readonly actor: string | null
  readonly subject: string | null
  readonly fromMs: number | null
  readonly toMs: number | null
  readonly limit: number
  readonly cursor: string | null
}

/** `before` and `after` stay text, because the hash covers their exact characters. */
const Row = Schema.Struct({
  position: Schema.String,
  id: Schema.String,
  atMs: Schema.Finite,
  actor: Schema.String,
  action: Schema.String,
  subjectType: Schema.String,
  subjectId: Schema.String,
  reason: Schema.NullOr(Schema.String),
  before: Schema.String,
  after: Schema.String,
  previousHash: Schema.String,
  hash: Schema.String
})
type Row = typeof Row.Type

const decode = Schema.decodeUnknownSync(Row)
const acts = rows(Row)
const end = row(Schema.Struct({ hash: Schema.String }))
const place = row(Schema.Struct({ position: Schema.String }))

const genesis = "0".repeat(64)
/** An advisory lock number unique in the station: one writer appends at a time. */
const chainLock = 7_120_024

const link = (act: Omit<Row, "hash" | "position">): string =>
  createHash("sha256")
    .update(
      JSON.stringify([
        act.previousHash,
        act.id,
        act.atMs,
        act.actor,
        act.action,
        act.subjectType,
        act.subjectId,
        act.reason,
        act.before,
        act.after
      ])
    )
    .digest("hex")

const columns = `position::text AS position, id, ${msText("at")} AS at_ms, actor, action, subject_type, subject_id, reason, before, after, previous_hash, hash`

const view = (act: Row): AuditRow =>
  AuditRow.make({
    id: act.id,
    at: new Date(act.atMs).toISOString(),
    actor: act.actor,
    action: act.action,
    subject: { type: act.subjectType, id: act.subjectId },
    reason: act.reason,
    before: JSON.parse(act.before) as unknown,
    after: JSON.parse(act.after) as unknown,
    previousHash: act.previousHash,
    hash: act.hash
  })

/** Audit log of operators' actions, chained by hashes. Append in the action's transaction, so that both are stored or neither. */
export class Audit extends Context.Service<Audit>()("longwave/engine/store/Audit", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = sql.literal(columns)

    const append = Effect.fnUntraced(function* (act: Act) {
      yield* run(sql`SELECT pg_advisory_xact_lock(${chainLock}::int)`)
      const last = yield* end(sql`SELECT hash FROM audit ORDER BY position DESC LIMIT 1`)
      const linked = {
        id: act.id,
        atMs: act.atMs,
        actor: act.actor,
        action: act.action,
        subjectType: act.subject.type,
        subjectId: act.subject.id,
        reason: act.reason,
        before: JSON.stringify(act.before ?? null),
        after: JSON.stringify(act.after ?? null),
        previousHash: last?.hash ?? genesis
      }
      yield* run(sql`
        INSERT INTO audit (position, id, at, actor, action, subject_type, subject_id, reason, before, after, previous_hash, hash)
        VALUES ((SELECT coalesce(max(position), 0) + 1 FROM audit), ${linked.id}, ${at(linked.atMs)}, ${linked.actor}, ${linked.action}, ${linked.subjectType},
          ${linked.subjectId}, ${linked.reason}, ${linked.before}, ${linked.after}, ${linked.previousHash}, ${link(linked)}) ON CONFLICT (id) DO NOTHING`)
    })

    const list = Effect.fnUntraced(function* (filter: AuditFilter) {
      const after =
        filter.cursor === null
          ? null
          : yield* place(sql`SELECT position::text AS position FROM audit WHERE id = ${filter.cursor}`)
      if (filter.cursor !== null && after === null) return null
      const found = yield* acts(sql`
        SELECT ${all} FROM audit WHERE ${sql.and([
          sql`true`,
          ...(filter.actor === null ? [] : [sql`actor = ${filter.actor}`]),
          ...(filter.subject === null ? [] : [sql`subject_id = ${filter.subject}`]),
          ...(filter.fromMs === null ? [] : [sql`at >= ${at(filter.fromMs)}`]),
          ...(filter.toMs === null ? [] : [sql`at <= ${at(filter.toMs)}`]),
          ...(after === null ? [] : [sql`position < ${BigInt(after.position)}`])
        ])} ORDER BY audit.position DESC LIMIT ${filter.limit + 1}`)
      const page = found.slice(0, filter.limit)
      return { rows: page.map(view), next: found.length > filter.limit ? page[page.length - 1]!.id : null }
    })

    const firstBroken = sql`SELECT ${all} FROM audit ORDER BY audit.position`.stream.pipe(
      Stream.map((found) => decode(found)),
      Stream.mapAccum(
        () => genesis,
        (previous, act) =>
          [act.hash, [act.previousHash === previous && act.hash === link(act) ? null : act.id]] as const
      ),
      Stream.filter((broken) => broken !== null),
      Stream.runHead,
      Effect.map(Option.getOrNull)
    )

    return {
      /** Idempotent per action. */
      append: (act: Act) => Effect.orDie(sql.withTransaction(append(act))),
      /** Newest first; null when the cursor is unknown. */
      list,
      /** Id of the first row that was changed or doesn't continue the chain. */
      firstBroken: Effect.orDie(firstBroken)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
