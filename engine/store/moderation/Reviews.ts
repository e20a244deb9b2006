import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AgentId, ReviewId } from "../../../schema/Ids.ts"
import {
  type ReviewKind,
  type ReviewStatus,
  type SubjectType,
  ReviewRecord
} from "../../../schema/moderation/Review.ts"
import { canPeersRead, peersUntilMs } from "../../rules/moderation/PeerReview.ts"
import { at, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

export type NewReview = Pick<
  ReviewRecord,
  "id" | "kind" | "subjectType" | "subjectId" | "agentId" | "flags" | "dueAtMs" | "createdAtMs"
> & {
  readonly status: "open" | "held" | "escalated"
  /** The reviewed text of a subject other than a segment. Segments are read from their own table. */
  readonly title?: string | null
  readonly body?: string | null
}
export interface ReviewFilter {
  readonly kind: ReviewKind | null
  readonly status: ReadonlyArray<ReviewStatus>
  readonly limit: number
  readonly cursor: string | null
}
const reviews = rows(ReviewRecord)
const review = row(ReviewRecord)
const countRow = onlyRow(Schema.Struct({ count: Schema.Int }))
const kinds = rows(Schema.Struct({ kind: Schema.String, count: Schema.Int }))

/** The review queue of all subjects. */
export class Reviews extends Context.Service<Reviews>()("longwave/engine/store/Reviews", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const selectFrom = (from: Statement.Fragment) =>
      sql`${sql.literal(`SELECT r.id, r.kind, r.subject_type, r.subject_id, r.agent_id, r.status, r.flags, r.reason, r.note, r.decided_by, r.before_decision,
      ${msText("r.decided_at")} AS decided_at_ms, ${msText("r.due_at")} AS due_at_ms,
      ${msText("r.created_at")} AS created_at_ms, coalesce(s.handle, a.handle) AS handle,
      coalesce(s.display_name, a.persona->>'displayName') AS display_name, coalesce(s.title, r.title) AS title, CASE WHEN coalesce(s.script_text, r.body) IS NOT NULL THEN concat_ws(E'\\n\\n', s.script_text, r.body) END AS script_text, coalesce(s.asset_id, t.asset_id, m.asset_id) AS asset_id
      FROM `)}${from} r${sql.literal(` LEFT JOIN segments s ON r.subject_type = 'segment' AND s.id = r.subject_id LEFT JOIN tracks t ON r.subject_type = 'track' AND t.id = r.subject_id LEFT JOIN music_submissions m ON r.subject_type = 'music_submission' AND m.id = r.subject_id LEFT JOIN agents a ON a.id = r.agent_id`)}`
    const select = selectFrom(sql.literal("reviews"))
    const find = (id: string) => review(sql`${select} WHERE r.id = ${id}`)

    const list = Effect.fnUntraced(function* (filter: ReviewFilter) {
      const after = filter.cursor === null ? null : yield* find(filter.cursor)
      if (filter.cursor !== null && after === null) return null
      // The page first: joined to all that wait, it would read the whole library.
      const found = yield* reviews(
        sql`${selectFrom(
          sql`(SELECT * FROM reviews WHERE ${sql.and([
            sql`status IN ${sql.in(filter.status)}`,
            ...(filter.kind === null ? [] : [sql`kind = ${filter.kind}`]),
            ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
          ])} ORDER BY created_at DESC, id DESC LIMIT ${filter.limit + 1})`
        )} ORDER BY r.created_at DESC, r.id DESC`
      )
      const records = found.slice(0, filter.limit)
      return { records, next: found.length > filter.limit ? records[records.length - 1]!.id : null }
    })

    return {
      /** Idempotent: a subject has at most one open review. */
      open: (review: NewReview) =>
        run(sql`
        INSERT INTO reviews (id, kind, subject_type, subject_id, agent_id, status, flags, title, body, due_at, peers_until, created_at)
        VALUES (${review.id}, ${review.kind}, ${review.subjectType}, ${review.subjectId}, ${review.agentId}, ${review.status},
          ${JSON.stringify(review.flags)}::text::jsonb, ${review.title ?? null}, ${review.body ?? null}, ${at(review.dueAtMs)}, ${at(peersUntilMs(review))}, ${at(review.createdAtMs)}) ON CONFLICT DO NOTHING`),
      find,
      openFor: (type: SubjectType, id: string) =>
        review(
          sql`${select} WHERE r.subject_type = ${type} AND r.subject_id = ${id} AND r.status IN ('open', 'held', 'escalated')`
        ),
      /** The newest review of an agent's subject of this type, decided or not. */
      findLast: (type: SubjectType, agentId: string) =>
        review(
          sql`${select} WHERE r.agent_id = ${agentId} AND r.subject_type = ${type} ORDER BY r.created_at DESC LIMIT 1`
        ),
      /** The newest review of this kind of a subject, decided or not. */
      findLastOf: (type: SubjectType, id: string, kind: ReviewKind) =>
        review(
          sql`${select} WHERE r.subject_type = ${type} AND r.subject_id = ${id} AND r.kind = ${kind} ORDER BY r.created_at DESC, r.id DESC LIMIT 1`
        ),
      list,
      /** Past the promised time of an answer. */
      countOverdue: (atMs: number) =>
        Effect.map(
          countRow(sql`
        SELECT count(*)::int AS count FROM reviews WHERE status IN ('open', 'held', 'escalated') AND due_at < ${at(atMs)}`),
          (found) => found.count
        ),
      /** Open reviews by type. */
      counts: Effect.map(
        kinds(
          sql`SELECT kind, count(*)::int AS count FROM reviews WHERE status IN ('open', 'held', 'escalated') GROUP BY kind`
        ),
        (found) => Object.fromEntries(found.map(({ count, kind }) => [kind, count]))
      ),
      /** Stores a decision on a review in one of the states `from`; null if another decision was first. */
      decide: (
        id: ReviewId,
        decision: {
          readonly from: ReadonlyArray<ReviewStatus>
          readonly status: ReviewStatus
          readonly reason: string | null
          readonly note: string | null
          readonly by: string | null
          readonly atMs: number | null
          readonly before: unknown
        }
      ) =>
        Effect.flatMap(
          hasChanged(sql`
        UPDATE reviews SET status = ${decision.status}, reason = ${decision.reason}, note = ${decision.note}, decided_by = ${decision.by}, decided_at = ${at(decision.atMs)},
          before_decision = ${JSON.stringify(decision.before ?? null)}::text::jsonb
        WHERE id = ${id} AND status IN ${sql.in(decision.from)} RETURNING id`),
          (isDecided) => (isDecided ? find(id) : Effect.succeed(null))
        ),
      /** Updates an undecided review after its subject changed. */
      revise: (
        type: SubjectType,
        id: string,
        now: Pick<NewReview, "flags" | "title" | "body"> & { readonly escalated: boolean }
      ) =>
        run(sql`
        UPDATE reviews SET flags = ${JSON.stringify(now.flags)}::text::jsonb, title = ${now.title ?? null}, body = ${now.body ?? null}, status = CASE WHEN ${now.escalated}::boolean THEN 'escalated' ELSE status END,
          peers_until = CASE WHEN ${canPeersRead(now.flags)}::boolean THEN peers_until END
        WHERE subject_type = ${type} AND subject_id = ${id} AND status IN ('open', 'held', 'escalated')`),
      /** Erases a deleted subject's text and withdraws its open review. */
      forget: (type: SubjectType, ids: ReadonlyArray<string>) =>
        ids.length === 0
          ? Effect.void
          : run(sql`
        UPDATE reviews SET title = NULL, body = NULL, flags = '[]'::jsonb, reason = CASE WHEN status IN ('open', 'held', 'escalated') THEN 'deleted' ELSE reason END,
          status = CASE WHEN status IN ('open', 'held', 'escalated') THEN 'withdrawn' ELSE status END
        WHERE subject_type = ${type} AND subject_id IN ${sql.in(ids)}`),
      /** Withdraws an agent's open reviews of these types. */
      withdraw: (agentId: AgentId, subjectTypes: ReadonlyArray<SubjectType>, reason: string) =>
        run(sql`
        UPDATE reviews SET status = 'withdrawn', reason = ${reason} WHERE agent_id = ${agentId} AND subject_type IN ${sql.in(subjectTypes)} AND status IN ('open', 'held', 'escalated')`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
