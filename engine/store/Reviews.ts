import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, AssetId, ReviewId } from "../../schema/Ids.ts"
import { aListener } from "../../schema/Interaction.ts"
import { Flag } from "../../schema/Precheck.ts"
import { Review, type ReviewKind, type ReviewStatus } from "../../schema/Review.ts"
import { audioUrl, type StationFacts } from "./SegmentRecords.ts"

/** A review as it lies in the store, with what is shown of its subject. */
export interface ReviewRecord {
  readonly id: ReviewId
  readonly kind: ReviewKind
  readonly subjectType: string
  readonly subjectId: string
  /** Null for what a listener sent. */
  readonly agentId: AgentId | null
  readonly status: ReviewStatus
  readonly flags: ReadonlyArray<Flag>
  readonly reason: string | null
  readonly note: string | null
  readonly decidedBy: string | null
  readonly decidedAtMs: number | null
  /** What the decision changed, as it was: what an undo puts back. */
  readonly beforeDecision: unknown
  readonly dueAtMs: number
  readonly createdAtMs: number
  readonly handle: string | null
  readonly displayName: string | null
  readonly title: string | null
  readonly scriptText: string | null
  readonly assetId: AssetId | null
}

export type NewReview = Pick<ReviewRecord, "id" | "kind" | "subjectType" | "subjectId" | "agentId" | "flags" | "dueAtMs" | "createdAtMs"> & {
  readonly status: "open" | "held" | "escalated"
  /** What is to be judged, where it is no segment: those are read as they stand. */
  readonly title?: string | null
  readonly body?: string | null
}

export interface ReviewFilter {
  readonly kind: ReviewKind | null
  readonly status: ReadonlyArray<ReviewStatus>
  readonly limit: number
  readonly cursor: string | null
}

const decodeFlags = Schema.decodeUnknownSync(Schema.Array(Flag))
const fromRow = (row: ReviewRecord): ReviewRecord => ({ ...row, flags: decodeFlags(row.flags) })
const instant = (ms: number) => new Date(ms).toISOString()

export const reviewView = (record: ReviewRecord, station: StationFacts): Review =>
  Review.make({
    id: record.id, kind: record.kind, subject: { type: record.subjectType, id: record.subjectId }, status: record.status, flags: record.flags,
    author: { agentId: record.agentId, handle: record.handle ?? "", displayName: record.displayName ?? (record.agentId === null ? aListener : "") }, title: record.title,
    audioUrl: record.subjectType === "call_in" ? `${station.publicUrl}/media/calls/${record.subjectId}.flac` : audioUrl(record.assetId, station), transcript: record.scriptText, reason: record.reason, note: record.note,
    decidedBy: record.decidedBy, decidedAt: record.decidedAtMs === null ? null : instant(record.decidedAtMs), dueAt: instant(record.dueAtMs), createdAt: instant(record.createdAtMs)
  })

/** The one queue of everything that waits for a person. */
export class Reviews extends Context.Service<Reviews, {
  /** A subject has at most one open review: opening it again changes nothing. */
  readonly open: (review: NewReview) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<ReviewRecord | null>
  readonly openFor: (subjectType: string, subjectId: string) => Effect.Effect<ReviewRecord | null>
  /** The newest of a kind of subject of an agent, decided or not. */
  readonly lastFor: (subjectType: string, agentId: string) => Effect.Effect<ReviewRecord | null>
  readonly list: (filter: ReviewFilter) => Effect.Effect<{ readonly records: ReadonlyArray<ReviewRecord>; readonly next: string | null } | null>
  /** Past the time by which an answer was promised. */
  readonly overdue: (atMs: number) => Effect.Effect<number>
  /** Open reviews by kind. */
  readonly counts: Effect.Effect<{ readonly [kind: string]: number }>
  /** Writes a decision over one of the states `from`; null when somebody else was first. */
  readonly decide: (id: ReviewId, decision: {
    readonly from: ReadonlyArray<ReviewStatus>
    readonly status: ReviewStatus
    readonly reason: string | null
    readonly note: string | null
    readonly by: string | null
    readonly atMs: number | null
    readonly before: unknown
  }) => Effect.Effect<ReviewRecord | null>
  /** What there is to be judged has changed since it was opened, before anybody decided. */
  readonly revise: (subjectType: string, subjectId: string, now: Pick<NewReview, "flags" | "title" | "body"> & { readonly escalated: boolean }) => Effect.Effect<void>
  /** The words of a subject that is gone, and whoever still had to look at it. */
  readonly forget: (subjectType: string, subjectIds: ReadonlyArray<string>) => Effect.Effect<void>
  /** What of an agent nobody has to look at any more. */
  readonly withdraw: (agentId: AgentId, subjectTypes: ReadonlyArray<string>, reason: string) => Effect.Effect<void>
}>()("longwave/engine/store/Reviews") {
  static readonly layer = Layer.effect(Reviews, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const select = sql.literal(`SELECT r.id, r.kind, r.subject_type, r.subject_id, r.agent_id, r.status, r.flags, r.reason, r.note, r.decided_by, r.before_decision,
      round(extract(epoch from r.decided_at) * 1000)::float8 AS decided_at_ms, round(extract(epoch from r.due_at) * 1000)::float8 AS due_at_ms,
      round(extract(epoch from r.created_at) * 1000)::float8 AS created_at_ms, coalesce(s.handle, a.handle) AS handle,
      coalesce(s.display_name, a.persona->>'displayName') AS display_name, coalesce(s.title, r.title) AS title, coalesce(s.script_text, r.body) AS script_text, coalesce(s.asset_id, t.asset_id) AS asset_id
      FROM reviews r LEFT JOIN segments s ON r.subject_type = 'segment' AND s.id = r.subject_id LEFT JOIN tracks t ON r.subject_type = 'track' AND t.id = r.subject_id LEFT JOIN agents a ON a.id = r.agent_id`)
    const one = <E>(rows: Effect.Effect<ReadonlyArray<ReviewRecord>, E>) => Effect.map(rows, (found) => found[0] === undefined ? null : fromRow(found[0]))
    const find = (id: string) => one(sql<ReviewRecord>`${select} WHERE r.id = ${id}`)

    const list = Effect.fn("Reviews.list")(function*(filter: ReviewFilter) {
      const after = filter.cursor === null ? null : yield* find(filter.cursor)
      if (filter.cursor !== null && after === null) return null
      const rows = yield* sql<ReviewRecord>`${select} WHERE ${sql.and([
        sql`r.status IN ${sql.in(filter.status)}`,
        ...(filter.kind === null ? [] : [sql`r.kind = ${filter.kind}`]),
        ...(after === null ? [] : [sql`(r.created_at, r.id) < (${at(after.createdAtMs)}, ${after.id})`])
      ])} ORDER BY r.created_at DESC, r.id DESC LIMIT ${filter.limit + 1}`
      const records = rows.slice(0, filter.limit).map(fromRow)
      return { records, next: rows.length > filter.limit ? records[records.length - 1]!.id : null }
    })

    return Reviews.of({
      open: (review) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, title, body, due_at, created_at)
        VALUES (${review.id}, ${review.kind}, ${review.subjectType}, ${review.subjectId}, ${review.agentId}, ${review.status},
          ${JSON.stringify(review.flags)}::text::jsonb, ${review.title ?? null}, ${review.body ?? null}, ${at(review.dueAtMs)}, ${at(review.createdAtMs)}) ON CONFLICT DO NOTHING`)),
      find: (id) => Effect.orDie(find(id)),
      openFor: (type, id) => Effect.orDie(one(sql<ReviewRecord>`${select} WHERE r.subject_type = ${type} AND r.subject_id = ${id} AND r.status IN ('open', 'held', 'escalated')`)),
      lastFor: (type, agentId) => Effect.orDie(one(sql<ReviewRecord>`${select} WHERE r.agent_id = ${agentId} AND r.subject_type = ${type} ORDER BY r.created_at DESC LIMIT 1`)),
      list: (filter) => Effect.orDie(list(filter)),
      overdue: (atMs) => Effect.orDie(Effect.map(sql<{ count: number }>`
        SELECT count(*)::int AS count FROM reviews WHERE status IN ('open', 'held', 'escalated') AND due_at < ${at(atMs)}`, (rows) => rows[0]!.count)),
      counts: Effect.orDie(Effect.map(sql<{ kind: string; count: number }>`SELECT kind, count(*)::int AS count FROM reviews WHERE status IN ('open', 'held', 'escalated') GROUP BY kind`,
        (rows) => Object.fromEntries(rows.map((row) => [row.kind, row.count])))),
      decide: (id, decision) => Effect.orDie(Effect.flatMap(sql`
        UPDATE reviews SET status = ${decision.status}, reason = ${decision.reason}, note = ${decision.note}, decided_by = ${decision.by}, decided_at = ${at(decision.atMs)},
          before_decision = ${JSON.stringify(decision.before ?? null)}::text::jsonb
        WHERE id = ${id} AND status IN ${sql.in(decision.from)} RETURNING id`, (rows) => rows.length === 0 ? Effect.succeed(null) : find(id))),
      revise: (type, id, now) => Effect.orDie(Effect.asVoid(sql`
        UPDATE reviews SET flags = ${JSON.stringify(now.flags)}::text::jsonb, title = ${now.title ?? null}, body = ${now.body ?? null}, status = CASE WHEN ${now.escalated}::boolean THEN 'escalated' ELSE status END
        WHERE subject_type = ${type} AND subject_id = ${id} AND status IN ('open', 'held', 'escalated')`)),
      forget: (type, ids) => ids.length === 0 ? Effect.void : Effect.orDie(Effect.asVoid(sql`
        UPDATE reviews SET title = NULL, body = NULL, flags = '[]'::jsonb, reason = CASE WHEN status IN ('open', 'held', 'escalated') THEN 'deleted' ELSE reason END,
          status = CASE WHEN status IN ('open', 'held', 'escalated') THEN 'withdrawn' ELSE status END
        WHERE subject_type = ${type} AND subject_id IN ${sql.in(ids)}`)),
      withdraw: (agentId, subjectTypes, reason) => Effect.orDie(Effect.asVoid(sql`
        UPDATE reviews SET status = 'withdrawn', reason = ${reason} WHERE agent_id = ${agentId} AND subject_type IN ${sql.in(subjectTypes)} AND status IN ('open', 'held', 'escalated')`))
    })
  }))
}
