import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type CountedDecision, type PeerSeat, pctOf } from "../../rules/moderation/PeerReview.ts"
import { type KnownCase, notBindingBecause, type VoteMeasure } from "../../rules/moderation/EffectiveVotes.ts"
import { peerMeasuredCasesMax, peerTierMin } from "../../rules/moderation/limits.ts"
import { AgentId, AssetId, PeerCaseId, ReviewId } from "../../../schema/Ids.ts"
import {
  PeerCaseStatus,
  PeerDecision,
  PeerReview,
  type PeerStats,
  PeerSubjectType,
  PeerVerdict,
  type PeerVote
} from "../../../schema/moderation/PeerReview.ts"
import { Flag } from "../../../schema/moderation/Precheck.ts"
import { ReviewStatus, SubjectType } from "../../../schema/moderation/Review.ts"
import { ownerKeyText } from "../agents/OwnerKey.ts"
import { authorKeyText, isOpenTo, tierText } from "./PeerQueue.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, ms, msText } from "../sql/instants.ts"
import { onlyRow, row, rows, run, hasChanged } from "../sql/rows.ts"

const Seat = Schema.Struct({
  agentId: AgentId,
  isActive: Schema.Boolean,
  tier: Schema.Int,
  granted: Schema.Array(Schema.String),
  ownerKey: Schema.String
})
const Subject = Schema.Struct({
  reviewId: Schema.NullOr(ReviewId),
  caseId: Schema.NullOr(PeerCaseId),
  caseStatus: Schema.NullOr(PeerCaseStatus),
  subjectType: Schema.Union([PeerSubjectType, SubjectType]),
  subjectId: Schema.String,
  reviewStatus: Schema.NullOr(ReviewStatus),
  flags: Schema.Array(Flag),
  title: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  assetId: Schema.NullOr(AssetId),
  authorId: Schema.NullOr(AgentId),
  authorHandle: Schema.NullOr(Schema.String),
  authorTier: Schema.NullOr(Schema.Int),
  authorOwnerKey: Schema.NullOr(Schema.String),
  untilMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite,
  decisions: Schema.Int,
  isDecided: Schema.Boolean,
  contentMd5: Schema.String,
  /** Fingerprint that the case was opened with. */
  caseMd5: Schema.NullOr(Schema.String)
})
export type PeerSubjectRecord = typeof Subject.Type

/** A stored case. */
const CaseRecord = Schema.Struct({
  id: PeerCaseId,
  reviewId: Schema.NullOr(ReviewId),
  subjectType: PeerSubjectType,
  subjectId: Schema.String,
  title: Schema.NullOr(Schema.String),
  text: Schema.NullOr(Schema.String),
  status: PeerCaseStatus,
  decidedByPeers: Schema.Boolean,
  advice: Schema.NullOr(PeerVerdict),
  verdict: Schema.NullOr(PeerVerdict),
  verdictBy: Schema.NullOr(Schema.String),
  closesAtMs: Schema.Finite,
  closedAtMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite
})
export type PeerCaseRecord = typeof CaseRecord.Type

const VoteRecord = Schema.Struct({
  caseId: PeerCaseId,
  id: ReviewId,
  agentId: AgentId,
  handle: Schema.String,
  ownerKey: Schema.String,
  decision: PeerDecision,
  reason: Schema.NullOr(Schema.String),
  weight: Schema.Int,
  counted: Schema.Boolean,
  binding: Schema.Boolean,
  overturned: Schema.Boolean,
  createdAt: Schema.String
})
export type PeerVoteRecord = typeof VoteRecord.Type & CountedDecision & Pick<PeerVote, "counted">

const Figures = {
  total: Schema.Int,
  approved: Schema.Int,
  denied: Schema.Int,
  deferred: Schema.Int,
  binding: Schema.Int,
  overturned: Schema.Int,
  known: Schema.Int,
  agreed: Schema.Int
}
const StatsRecord = Schema.Struct(Figures)
const statsOf = ({ agreed, known, ...counts }: typeof StatsRecord.Type): PeerStats => ({
  ...counts,
  agreementPct: pctOf(agreed, known)
})
const ReviewerRecord = Schema.Struct({
  ...Figures,
  agentId: AgentId,
  handle: Schema.String,
  tier: Schema.Int,
  scopes: Schema.Array(PeerSubjectType),
  planted: Schema.Int,
  plantedRight: Schema.Int
})
const MeasureRecord = Schema.Struct({
  subjectType: PeerSubjectType,
  cases: Schema.Int,
  decisions: Schema.Int,
  votesPerCase: Schema.Finite,
  errorRate: Schema.Finite,
  correlation: Schema.NullOr(Schema.Finite),
  effectiveVotes: Schema.NullOr(Schema.Finite),
  computedAtMs: Schema.Finite
})
export type PeerMeasureRecord = typeof MeasureRecord.Type

const seats = row(Seat)
const subjects = row(Subject)
const oneCase = row(CaseRecord)
const cases = rows(CaseRecord)
const decisions = rows(PeerReview)
const votes = rows(VoteRecord)
const stats = onlyRow(StatsRecord)
const queued = rows(Schema.Struct({ subjectType: PeerSubjectType, subjectId: Schema.String }))
const asked = rows(Schema.Struct({ agentId: AgentId }))
const marked = rows(Schema.Struct({ id: ReviewId, agentId: AgentId }))
const known = rows(Schema.Struct({ votes: Schema.Int, errors: Schema.Int }))
const measures = rows(MeasureRecord)
const agreements = rows(Schema.Struct({ agentId: Schema.String, known: Schema.Int, agreed: Schema.Int }))
const reviewers = rows(ReviewerRecord)

export interface PeerCaseFilter extends Paging {
  readonly status: PeerCaseStatus | null
  readonly subjectType: PeerSubjectType | null
  readonly planted: boolean | null
}

/** Cases before the peers, their decisions and what these are worth. */
export class PeerCasesWriter extends Context.Service<PeerCasesWriter>()("longwave/engine/store/PeerCasesWriter", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    const isoText = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    const isActive = (agent: string) =>
      `(${agent}.status = 'claimed' OR ${agent}.status = 'suspended' AND ${agent}.suspended_until <= now()) AND ${agent}.deleted_at IS NULL`
    // A decision counts as long as its reviewer may still decide on this kind.
    const counted = sql.literal(
      `(a.id IS NOT NULL AND ${isActive("a")} AND ${tierText("d.agent_id")} >= ${peerTierMin} AND coalesce((SELECT g.peer_review_scopes ? c.subject_type FROM grants g WHERE g.agent_id = d.agent_id), false))`
    )
    const caseColumns = sql.literal(
      `c.id, c.review_id, c.subject_type, c.subject_id, coalesce(c.title, r.title) AS title, coalesce(c.body, r.body) AS text, c.status, c.decided_by_peers, c.advice, c.verdict, c.verdict_by,
      ${msText("c.closes_at")} AS closes_at_ms, ${msText("c.closed_at")} AS closed_at_ms, ${msText("c.created_at")} AS created_at_ms FROM peer_cases c LEFT JOIN reviews r ON r.id = c.review_id`
    )
    const voteColumns = sql`
      d.case_id, d.id, d.agent_id, coalesce(a.handle, '') AS handle, d.owner_key, d.decision, d.reason, d.weight, ${counted} AS counted, d.binding, d.overturned, ${sql.literal(isoText("d.created_at"))} AS created_at
      FROM peer_decisions d JOIN peer_cases c ON c.id = d.case_id LEFT JOIN agents a ON a.id = d.agent_id`
    const count = (condition: string) => `count(*) FILTER (WHERE c.review_id IS NOT NULL AND ${condition})::int`
    const isKnown = "c.verdict IS NOT NULL AND d.decision <> 'deferred'"
    const figures = sql.literal(
      `${count("true")} AS total, ${count("d.decision = 'approved'")} AS approved, ${count("d.decision = 'denied'")} AS denied, ${count("d.decision = 'deferred'")} AS deferred,
      ${count("d.binding")} AS binding, ${count("d.overturned")} AS overturned, ${count(isKnown)} AS known, ${count(`${isKnown} AND d.decision = c.verdict`)} AS agreed`
    )
    const find = (id: string) => oneCase(sql`SELECT ${caseColumns} WHERE c.id = ${id}`)
    return {
      /** Null for an unknown agent. */
      seat: (agentId: string) =>
        seats(sql`
          SELECT a.id AS agent_id, ${sql.literal(isActive("a"))} AS is_active, ${sql.literal(tierText("a.id"))}::int AS tier,
            coalesce((SELECT g.peer_review_scopes FROM grants g WHERE g.agent_id = a.id), '[]'::jsonb) AS granted, ${sql.literal(ownerKeyText("a.id"))} AS owner_key
          FROM agents a WHERE a.id = ${agentId}`),
      /** What waits under this type and id, as a reviewer of this owner finds it. */
      subject: (type: string, id: string, ownerKey: string) =>
        subjects(sql`
          SELECT w.review_id, w.subject_type, w.subject_id, w.review_status, w.flags, w.title, w.text, w.asset_id, w.author_id, a.handle AS author_handle,
            CASE WHEN w.author_id IS NOT NULL THEN ${sql.literal(tierText("w.author_id"))}::int END AS author_tier,
            ${sql.literal(authorKeyText("w.subject_type", "w.subject_id", "w.author_id"))} AS author_owner_key,
            ${ms("w.until")} AS until_ms, ${ms("w.created_at")} AS created_at_ms, w.content_md5, c.id AS case_id, c.status AS case_status, c.content_md5 AS case_md5,
            (SELECT count(*)::int FROM peer_decisions d WHERE d.case_id = c.id) AS decisions, EXISTS (SELECT FROM peer_decisions d WHERE d.case_id = c.id AND d.owner_key = ${ownerKey}) AS is_decided
          FROM (
            SELECT r.id AS review_id, r.subject_type, r.subject_id, r.status AS review_status, r.flags, coalesce(s.title, r.title) AS title,
              nullif(concat_ws(E'\\n\\n', s.script_text, r.body), '') AS text, coalesce(s.asset_id, t.asset_id) AS asset_id, r.agent_id AS author_id, r.peers_until AS until, r.created_at,
              md5(concat_ws('|', s.title, r.title, s.script_text, r.body, r.flags::text)) AS content_md5, NULL::text AS planted_id
            FROM reviews r LEFT JOIN segments s ON r.subject_type = 'segment' AND s.id = r.subject_id LEFT JOIN tracks t ON r.subject_type = 'track' AND t.id = r.subject_id
            WHERE r.subject_type = ${type} AND r.subject_id = ${id} AND r.status IN ('open', 'held', 'escalated')
            UNION ALL
            SELECT NULL, p.subject_type, p.subject_id, NULL, p.flags, p.title, p.body, NULL, p.author_id, p.closes_at, p.created_at, p.content_md5, p.id
            FROM peer_cases p WHERE p.review_id IS NULL AND p.subject_type = ${type} AND p.subject_id = ${id} AND p.status = 'pending'
          ) w LEFT JOIN peer_cases c ON c.status <> 'withdrawn' AND (c.review_id = w.review_id OR c.id = w.planted_id) LEFT JOIN agents a ON a.id = w.author_id AND a.deleted_at IS NULL LIMIT 1`),
      /** Whether this owner decided on a case of that subject, open or not. */
      wasDecided: (type: string, id: string, ownerKey: string) =>
        hasChanged(sql`
          SELECT FROM peer_cases c JOIN peer_decisions d ON d.case_id = c.id AND d.owner_key = ${ownerKey}
          WHERE c.subject_type = ${type} AND c.subject_id = ${id} AND c.status <> 'withdrawn' LIMIT 1`),
      /** Locks the waiting review or planted case until the caller's transaction ends. */
      hold: Effect.fnUntraced(function* (type: string, id: string) {
        yield* run(
          sql`SELECT FROM reviews WHERE subject_type = ${type} AND subject_id = ${id} AND status IN ('open', 'held', 'escalated') FOR UPDATE`
        )
        yield* run(
          sql`SELECT FROM peer_cases WHERE subject_type = ${type} AND subject_id = ${id} AND status = 'pending' FOR UPDATE`
        )
      }),
      find,
      /** The same, locked until the caller's transaction ends. */
      lock: Effect.fnUntraced(function* (id: string) {
        yield* run(sql`SELECT FROM peer_cases WHERE id = ${id} FOR UPDATE`)
        return yield* find(id)
      }),
      /** The case of a review, locked until the caller's transaction ends. */
      lockOf: Effect.fnUntraced(function* (reviewId: ReviewId) {
        if (
          !(yield* hasChanged(
            sql`SELECT FROM peer_cases WHERE review_id = ${reviewId} AND status <> 'withdrawn' FOR UPDATE`
          ))
        )
          return null
        return yield* oneCase(sql`SELECT ${caseColumns} WHERE c.review_id = ${reviewId} AND c.status <> 'withdrawn'`)
      }),
      open: (
        made: {
          readonly id: PeerCaseId
          readonly reviewId: ReviewId | null
          readonly subjectType: PeerSubjectType
          readonly subjectId: string
          readonly contentMd5: string
          readonly closesAtMs: number
        },
        nowMs: number
      ) =>
        run(sql`
          INSERT INTO peer_cases (id, review_id, subject_type, subject_id, content_md5, status, closes_at, created_at)
          VALUES (${made.id}, ${made.reviewId}, ${made.subjectType}, ${made.subjectId}, ${made.contentMd5}, 'pending', ${at(made.closesAtMs)}, ${at(nowMs)})`),
      /** A case with a known answer. */
      plant: (
        made: {
          readonly id: PeerCaseId
          readonly subjectType: PeerSubjectType
          readonly subjectId: string
          readonly authorId: AgentId | null
          readonly title: string | null
          readonly body: string
          readonly flags: ReadonlyArray<Flag>
          readonly answer: PeerVerdict
          readonly by: string
          readonly closesAtMs: number
        },
        nowMs: number
      ) =>
        run(sql`
          INSERT INTO peer_cases (id, subject_type, subject_id, author_id, title, body, flags, content_md5, status, verdict, verdict_by, verdict_at, closes_at, created_at)
          VALUES (${made.id}, ${made.subjectType}, ${made.subjectId}, ${made.authorId}, ${made.title}, ${made.body}, ${JSON.stringify(made.flags)}::text::jsonb, md5(${made.body}), 'pending',
            ${made.answer}, ${made.by}, ${at(nowMs)}, ${at(made.closesAtMs)}, ${at(nowMs)})`),
      decide: (
        made: {
          readonly id: ReviewId
          readonly caseId: PeerCaseId
          readonly agentId: AgentId
          readonly ownerKey: string
          readonly decision: PeerDecision
          readonly reason: string | null
          readonly weight: number
        },
        nowMs: number
      ) =>
        run(sql`
          INSERT INTO peer_decisions (id, case_id, agent_id, owner_key, decision, reason, weight, created_at)
          VALUES (${made.id}, ${made.caseId}, ${made.agentId}, ${made.ownerKey}, ${made.decision}, ${made.reason}, ${made.weight}, ${at(nowMs)})`),
      /** In the order in which they were made. */
      listVotes: (caseIds: ReadonlyArray<string>) =>
        caseIds.length === 0
          ? Effect.succeed([])
          : votes(sql`SELECT ${voteColumns} WHERE d.case_id IN ${sql.in(caseIds)} ORDER BY d.seq`),
      /** False if it was closed before. */
      close: (
        id: PeerCaseId,
        end: { readonly status: PeerCaseStatus; readonly decidedByPeers: boolean; readonly atMs: number }
      ) =>
        hasChanged(sql`
          UPDATE peer_cases SET status = ${end.status}, decided_by_peers = ${end.decidedByPeers}, closed_at = ${at(end.atMs)} WHERE id = ${id} AND status = 'pending' RETURNING id`),
      /** Also a closed case: its decisions measure nobody from now on. */
      withdraw: (id: PeerCaseId, atMs: number) =>
        run(
          sql`UPDATE peer_cases SET status = 'withdrawn', closed_at = coalesce(closed_at, ${at(atMs)}) WHERE id = ${id}`
        ),
      advise: (id: PeerCaseId, advice: PeerVerdict | null) =>
        run(sql`UPDATE peer_cases SET advice = ${advice} WHERE id = ${id} AND advice IS DISTINCT FROM ${advice}`),
      /** Marks the decisions of the deciding side, and returns them. */
      bind: (id: PeerCaseId, side: PeerVerdict, ids: ReadonlyArray<string>) =>
        marked(sql`
          UPDATE peer_decisions SET binding = true WHERE case_id = ${id} AND decision = ${side} AND id IN ${sql.in(ids)} RETURNING id, agent_id`),
      /** Stores the operators' verdict. */
      judge: (id: PeerCaseId, verdict: PeerVerdict | null, by: string | null, atMs: number) =>
        run(sql`
          UPDATE peer_cases SET verdict = ${verdict}, verdict_by = ${by}, verdict_at = CASE WHEN ${verdict}::text IS NOT NULL THEN ${at(atMs)} END WHERE id = ${id}`),
      /** Marks the binding decisions that differ from the verdict, once each, and returns them. */
      overturn: (id: PeerCaseId, verdict: PeerVerdict) =>
        marked(sql`
          UPDATE peer_decisions SET overturned = true WHERE case_id = ${id} AND binding AND decision <> ${verdict} AND NOT overturned RETURNING id, agent_id`),
      /** A case that an operator's decision had closed waits again, or is the operators'. */
      reopen: (id: PeerCaseId, status: "pending" | "escalated") =>
        run(sql`
          UPDATE peer_cases SET status = ${status}, decided_by_peers = false, verdict = NULL, verdict_by = NULL, verdict_at = NULL, closed_at = CASE WHEN ${status} = 'pending' THEN NULL ELSE closed_at END WHERE id = ${id}`),
      /** The newest cases of a kind with known verdicts: how many decided, and how many of them were wrong. */
      countKnown: (type: PeerSubjectType): Effect.Effect<ReadonlyArray<KnownCase>> =>
        known(sql`
          SELECT count(*)::int AS votes, count(*) FILTER (WHERE d.decision <> c.verdict)::int AS errors
          FROM (
            SELECT id, verdict FROM peer_cases WHERE subject_type = ${type} AND verdict IS NOT NULL AND status <> 'withdrawn'
              AND EXISTS (SELECT FROM peer_decisions e WHERE e.case_id = peer_cases.id AND e.decision <> 'deferred')
            ORDER BY verdict_at DESC, id DESC LIMIT ${peerMeasuredCasesMax}
          ) c JOIN peer_decisions d ON d.case_id = c.id AND d.decision <> 'deferred' GROUP BY c.id`),
      saveMeasure: (type: PeerSubjectType, measure: VoteMeasure, nowMs: number) =>
        run(sql`
          INSERT INTO peer_measures (subject_type, cases, decisions, votes_per_case, error_rate, correlation, effective_votes, computed_at)
          VALUES (${type}, ${measure.cases}, ${measure.decisions}, ${measure.votesPerCase}, ${measure.errorRate}, ${measure.correlation}, ${measure.effectiveVotes}, ${at(nowMs)})
          ON CONFLICT (subject_type) DO UPDATE SET cases = excluded.cases, decisions = excluded.decisions, votes_per_case = excluded.votes_per_case, error_rate = excluded.error_rate,
            correlation = excluded.correlation, effective_votes = excluded.effective_votes, computed_at = excluded.computed_at`),
      measures: measures(
        sql`SELECT subject_type, cases, decisions, votes_per_case, error_rate, correlation, effective_votes, ${ms("computed_at")} AS computed_at_ms FROM peer_measures ORDER BY subject_type`
      ),
      /** Why decisions on these kinds don't bind; null for those that do. */
      listNotBinding: (types: ReadonlyArray<PeerSubjectType>) =>
        types.length === 0
          ? Effect.succeed([])
          : Effect.map(
              measures(
                sql`SELECT subject_type, cases, decisions, votes_per_case, error_rate, correlation, effective_votes, ${ms("computed_at")} AS computed_at_ms FROM peer_measures WHERE subject_type IN ${sql.in(types)}`
              ),
              (found) =>
                types.map((subjectType) => {
                  const measure = found.find((one) => one.subjectType === subjectType)
                  const detail = measure === undefined ? null : notBindingBecause(measure)
                  return { subjectType, binds: detail === null, detail }
                })
            ),
      stats: (agentId: AgentId): Effect.Effect<PeerStats> =>
        Effect.map(
          stats(
            sql`SELECT ${figures} FROM peer_decisions d JOIN peer_cases c ON c.id = d.case_id WHERE d.agent_id = ${agentId}`
          ),
          statsOf
        ),
      /** Newest first, without those on planted cases. */
      recent: (agentId: AgentId, limit: number): Effect.Effect<ReadonlyArray<PeerReview>> =>
        decisions(sql`
          SELECT d.id, c.subject_type, c.subject_id, d.decision, d.reason, d.weight, d.binding, CASE c.status WHEN 'withdrawn' THEN 'escalated' ELSE c.status END AS outcome, ${sql.literal(isoText("d.created_at"))} AS created_at
          FROM peer_decisions d JOIN peer_cases c ON c.id = d.case_id WHERE d.agent_id = ${agentId} AND c.review_id IS NOT NULL ORDER BY d.seq DESC LIMIT ${limit}`),
      /** What this reviewer may decide on, that which waits longest first. */
      queue: (
        seat: Pick<PeerSeat, "agentId" | "ownerKey">,
        scopes: ReadonlyArray<PeerSubjectType>,
        nowMs: number,
        limit: number
      ) =>
        scopes.length === 0
          ? Effect.succeed([])
          : queued(sql`
              SELECT q.subject_type, q.subject_id FROM peer_queue q WHERE q.subject_type IN ${sql.in(scopes)} AND ${isOpenTo(sql, { agentId: sql`${seat.agentId}::text`, ownerKey: sql`${seat.ownerKey}::text` }, nowMs)}
              ORDER BY q.created_at, q.subject_id LIMIT ${limit}`),
      /** Reviewers to ask: one agent of each owner but the author's, in an order that the seed decides. */
      invited: (
        about: {
          readonly subjectType: PeerSubjectType
          readonly subjectId: string
          readonly authorId: AgentId | null
        },
        limit: number
      ) =>
        Effect.map(
          asked(sql`
            SELECT agent_id FROM (
              SELECT DISTINCT ON (owner_key) agent_id, owner_key, place FROM (
                SELECT a.id AS agent_id, ${sql.literal(ownerKeyText("a.id"))} AS owner_key, md5(${about.subjectId}::text || a.id) AS place
                FROM grants g JOIN agents a ON a.id = g.agent_id
                WHERE g.peer_review_scopes ? ${about.subjectType} AND ${sql.literal(isActive("a"))} AND ${sql.literal(tierText("a.id"))} >= ${peerTierMin}
              ) able WHERE owner_key IS DISTINCT FROM (SELECT ${sql.literal(authorKeyText("x.type", "x.id", "x.author"))} FROM (SELECT ${about.subjectType}::text AS type, ${about.subjectId}::text AS id, ${about.authorId}::text AS author) x)
              ORDER BY owner_key, place
            ) seats ORDER BY place LIMIT ${limit}`),
          (found) => found.map(({ agentId }) => agentId)
        ),
      /** Agreement of these agents with operators' verdicts; agents without any are left out. */
      agreements: (agentIds: ReadonlyArray<string>) =>
        agentIds.length === 0
          ? Effect.succeed(new Map<string, number>())
          : Effect.map(
              agreements(sql`
                SELECT d.agent_id, count(*)::int AS known, count(*) FILTER (WHERE d.decision = c.verdict)::int AS agreed
                FROM peer_decisions d JOIN peer_cases c ON c.id = d.case_id
                WHERE d.agent_id IN ${sql.in(agentIds)} AND c.review_id IS NOT NULL AND ${sql.literal(isKnown)} GROUP BY d.agent_id`),
              (found) => new Map(found.map(({ agentId, agreed, known }) => [agentId, pctOf(agreed, known)!]))
            ),
      /** Whether an agent may hear a sound because it waits for its review. */
      canHear: (agentId: string, assetId: string, nowMs: number) =>
        hasChanged(sql`
          SELECT FROM grants g JOIN peer_queue q ON g.peer_review_scopes ? q.subject_type AND q.closes_at > ${at(nowMs)}
          WHERE g.agent_id = ${agentId} AND ${sql.literal(tierText("g.agent_id"))} >= ${peerTierMin} AND (
            q.subject_type = 'segment' AND EXISTS (SELECT FROM segments s WHERE s.id = q.subject_id AND s.asset_id = ${assetId})
            OR q.subject_type = 'track' AND EXISTS (SELECT FROM tracks t WHERE t.id = q.subject_id AND t.asset_id = ${assetId})) LIMIT 1`),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* ({ cursor, limit, planted, status, subjectType }: PeerCaseFilter) {
        if (cursor !== null && (yield* find(cursor)) === null) return null
        const found = yield* cases(
          sql`SELECT ${caseColumns} WHERE ${sql.and([
            sql`true`,
            ...(status === null ? [] : [sql`c.status = ${status}`]),
            ...(subjectType === null ? [] : [sql`c.subject_type = ${subjectType}`]),
            ...(planted === null ? [] : [planted ? sql`c.review_id IS NULL` : sql`c.review_id IS NOT NULL`]),
            ...(cursor === null
              ? []
              : [sql`(c.created_at, c.id) < (SELECT o.created_at, o.id FROM peer_cases o WHERE o.id = ${cursor})`])
          ])} ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** Everybody with a grant or a decision, in order of their ids. */
      reviewers: Effect.fnUntraced(function* ({ cursor, limit }: Paging) {
        const found = yield* reviewers(sql`
          SELECT a.id AS agent_id, a.handle, ${sql.literal(tierText("a.id"))}::int AS tier, coalesce(g.peer_review_scopes, '[]'::jsonb) AS scopes, f.*
          FROM agents a LEFT JOIN grants g ON g.agent_id = a.id
          CROSS JOIN LATERAL (SELECT ${figures},
            count(*) FILTER (WHERE c.review_id IS NULL AND c.status <> 'withdrawn' AND d.decision <> 'deferred')::int AS planted, count(*) FILTER (WHERE c.review_id IS NULL AND c.status <> 'withdrawn' AND d.decision = c.verdict)::int AS planted_right
            FROM peer_decisions d JOIN peer_cases c ON c.id = d.case_id WHERE d.agent_id = a.id) f
          WHERE a.deleted_at IS NULL AND (jsonb_array_length(coalesce(g.peer_review_scopes, '[]'::jsonb)) > 0 OR EXISTS (SELECT FROM peer_decisions d WHERE d.agent_id = a.id))
            ${cursor === null ? sql`` : sql`AND a.id < ${cursor}`}
          ORDER BY a.id DESC LIMIT ${limit + 1}`)
        return pageOf(
          found.map((one) => ({ ...one, id: one.agentId as string, stats: statsOf(one) })),
          limit
        )
      })
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class PeerCases extends Context.Service<
  PeerCases,
  Pick<
    PeerCasesWriter["Service"],
    | "agreements"
    | "find"
    | "list"
    | "canHear"
    | "measures"
    | "listNotBinding"
    | "queue"
    | "recent"
    | "reviewers"
    | "seat"
    | "stats"
    | "subject"
    | "listVotes"
    | "wasDecided"
  >
>()("longwave/engine/store/PeerCases") {
  static readonly layer = Layer.effect(this, PeerCasesWriter).pipe(Layer.provideMerge(PeerCasesWriter.layer))
}
