import { createHash } from "node:crypto"
import { Context, Effect, Layer, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AuditRow } from "../../schema/Review.ts"

/** One act, before it has its place in the chain. */
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

interface Row {
  readonly position: string
  readonly id: string
  readonly atMs: number
  readonly actor: string
  readonly action: string
  readonly subjectType: string
  readonly subjectId: string
  readonly reason: string | null
  readonly before: string
  readonly after: string
  readonly previousHash: string
  readonly hash: string
}

const genesis = "0".repeat(64)
/** Any number that no other lock of the station uses: one writer appends at a time. */
const chainLock = 7_120_024

const link = (row: Omit<Row, "hash" | "position">): string =>
  createHash("sha256").update(JSON.stringify([
    row.previousHash, row.id, row.atMs, row.actor, row.action, row.subjectType, row.subjectId, row.reason, row.before, row.after
  ])).digest("hex")

const columns = `position::text AS position, id, round(extract(epoch from at) * 1000)::float8 AS at_ms, actor, action, subject_type, subject_id, reason, before, after, previous_hash, hash`

const view = (row: Row): AuditRow => AuditRow.make({
  id: row.id, at: new Date(row.atMs).toISOString(), actor: row.actor, action: row.action, subject: { type: row.subjectType, id: row.subjectId },
  reason: row.reason, before: JSON.parse(row.before) as unknown, after: JSON.parse(row.after) as unknown, previousHash: row.previousHash, hash: row.hash
})

/** Everything operators did, in a chain of hashes. Append within the transaction of the act: neither is there without the other. */
export class Audit extends Context.Service<Audit, {
  /** The same act again changes nothing. */
  readonly append: (act: Act) => Effect.Effect<void>
  /** Newest first; null when the cursor is unknown. */
  readonly list: (filter: AuditFilter) => Effect.Effect<{ readonly rows: ReadonlyArray<AuditRow>; readonly next: string | null } | null>
  /** Id of the first row that isn't what it was, or that doesn't follow the one before it. */
  readonly firstBroken: Effect.Effect<string | null>
}>()("longwave/engine/store/Audit") {
  static readonly layer = Layer.effect(Audit, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const all = sql.literal(columns)

    const append = Effect.fn("Audit.append")(function*(act: Act) {
      yield* sql`SELECT pg_advisory_xact_lock(${chainLock}::int)`
      const last = yield* sql<{ hash: string }>`SELECT hash FROM audit ORDER BY position DESC LIMIT 1`
      const row = {
        id: act.id, atMs: act.atMs, actor: act.actor, action: act.action, subjectType: act.subject.type, subjectId: act.subject.id, reason: act.reason,
        before: JSON.stringify(act.before ?? null), after: JSON.stringify(act.after ?? null), previousHash: last[0]?.hash ?? genesis
      }
      yield* sql`
        INSERT INTO audit (position, id, at, actor, action, subject_type, subject_id, reason, before, after, previous_hash, hash)
        VALUES ((SELECT coalesce(max(position), 0) + 1 FROM audit), ${row.id}, to_timestamp(${row.atMs}::float8 / 1000), ${row.actor}, ${row.action}, ${row.subjectType},
          ${row.subjectId}, ${row.reason}, ${row.before}, ${row.after}, ${row.previousHash}, ${link(row)}) ON CONFLICT (id) DO NOTHING`
    })

    const list = Effect.fn("Audit.list")(function*(filter: AuditFilter) {
      const after = filter.cursor === null ? [] : yield* sql<{ position: string }>`SELECT position::text AS position FROM audit WHERE id = ${filter.cursor}`
      if (filter.cursor !== null && after[0] === undefined) return null
      const rows = yield* sql<Row>`
        SELECT ${all} FROM audit WHERE ${sql.and([
          sql`true`,
          ...(filter.actor === null ? [] : [sql`actor = ${filter.actor}`]),
          ...(filter.subject === null ? [] : [sql`subject_id = ${filter.subject}`]),
          ...(filter.fromMs === null ? [] : [sql`at >= to_timestamp(${filter.fromMs}::float8 / 1000)`]),
          ...(filter.toMs === null ? [] : [sql`at <= to_timestamp(${filter.toMs}::float8 / 1000)`]),
          ...(after[0] === undefined ? [] : [sql`position < ${BigInt(after[0].position)}`])
        ])} ORDER BY audit.position DESC LIMIT ${filter.limit + 1}`
      const page = rows.slice(0, filter.limit)
      return { rows: page.map(view), next: rows.length > filter.limit ? page[page.length - 1]!.id : null }
    })

    const firstBroken = sql<Row>`SELECT ${all} FROM audit ORDER BY audit.position`.stream.pipe(
      Stream.mapAccum(() => genesis, (previous, row) => [row.hash, [row.previousHash === previous && row.hash === link(row) ? null : row.id]] as const),
      Stream.filter((broken) => broken !== null),
      Stream.runHead,
      Effect.map(Option.getOrNull)
    )

    return Audit.of({
      append: (act) => Effect.orDie(sql.withTransaction(append(act))),
      list: (filter) => Effect.orDie(list(filter)),
      firstBroken: Effect.orDie(firstBroken)
    })
  }))
}
