import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { epochMs, msOf, sampleOf } from "../../../schema/time/Samples.ts"
import { rankHalfLifeDays } from "../../rules/ranks/limits.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import type { EvidenceSource } from "../../rules/ranks/Leaderboards.ts"
import { at, msText } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"
import { weightOfPoints } from "./Ranks.ts"

const Fact = Schema.Struct({
  /** Place in its source: an instant, or a sample for plays. */
  place: Schema.String,
  subjectId: Schema.String,
  atMs: Schema.NullOr(Schema.Finite),
  value: Schema.Finite,
  /** Salted hash of who voted or asked. */
  voter: Schema.NullOr(Schema.String),
  asRunSeq: Schema.NullOr(Schema.Finite)
})
export type Fact = typeof Fact.Type
const facts = rows(Fact)
const halfLifeMs = rankHalfLifeDays * dayMs

/** What one page is taken from. Boundaries are those of the board, whatever happened since. */
export interface EvidenceAsk {
  readonly stationId: string
  readonly fromMs: number | null
  readonly untilMs: number
  readonly asRunSeq: number
  /** Hides who voted: the same voter of the same track has the same hash, and no other. */
  readonly salt: string
  /** Codes of points that count; null for all, gains and losses. */
  readonly codes: ReadonlyArray<string> | null
  /** Place of the last row shown and how many rows of this place were shown; null for the first page. */
  readonly after: { readonly place: string; readonly shown: number } | null
  readonly limit: number
}

/** The rows that leaderboards are computed from. */
export class ChartEvidence extends Context.Service<ChartEvidence>()("longwave/engine/store/ChartEvidence", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isWithin = (column: string, { after, fromMs, untilMs }: EvidenceAsk): Statement.Fragment => {
      const name = sql.literal(column)
      return sql.and([
        sql`${name} < ${at(untilMs)}`,
        ...(fromMs === null ? [] : [sql`${name} >= ${at(fromMs)}`]),
        ...(after === null ? [] : [sql`${name} >= ${after.place}::timestamptz`])
      ])
    }
    const hashOfColumn = (column: string, { salt }: EvidenceAsk) =>
      sql`left(encode(sha256(convert_to(${salt}::text || track_id || ' ' || ${sql.literal(column)}, 'UTF8')), 'hex'), 16)`
    const page = ({ after, limit }: EvidenceAsk) => sql`LIMIT ${limit} OFFSET ${after?.shown ?? 0}`
    const totals = (ask: EvidenceAsk, code: string) =>
      facts(sql`
        SELECT '' AS place, track_id AS subject_id, NULL::float8 AS at_ms, count::float8 AS value, NULL AS voter, NULL::float8 AS as_run_seq
        FROM track_totals WHERE code = ${code} ORDER BY track_id ${page(ask)}`)
    const sources: { readonly [Source in EvidenceSource]: (ask: EvidenceAsk) => Effect.Effect<ReadonlyArray<Fact>> } = {
      ballots: (ask) =>
        facts(sql`
          SELECT at::text AS place, track_id AS subject_id, ${sql.literal(msText("at"))} AS at_ms, 1::float8 AS value, ${hashOfColumn("voter", ask)} AS voter, NULL::float8 AS as_run_seq FROM (
            SELECT at, track_id, voter FROM track_votes WHERE action = 'like' AND counted AND ${isWithin("at", ask)}
            UNION ALL SELECT at, track_id, voter FROM withdrawn_votes WHERE action = 'like' AND until >= ${at(ask.untilMs)} AND ${isWithin("at", ask)}
          ) cast_votes ORDER BY at, track_id, voter ${page(ask)}`),
      requests: (ask) =>
        facts(sql`
          SELECT created_at::text AS place, track_id AS subject_id, ${sql.literal(msText("created_at"))} AS at_ms, 1::float8 AS value, ${hashOfColumn("requester", ask)} AS voter, NULL::float8 AS as_run_seq
          FROM song_requests WHERE ${isWithin("created_at", ask)} ORDER BY created_at, id ${page(ask)}`),
      plays: (ask) =>
        Effect.map(
          facts(sql`
          SELECT first_sample::text AS place, track_id AS subject_id, NULL::float8 AS at_ms, 1::float8 AS value, NULL AS voter, seq::float8 AS as_run_seq
          FROM as_run WHERE ${sql.and([
            sql`station_id = ${ask.stationId} AND track_id IS NOT NULL AND seq <= ${BigInt(ask.asRunSeq)} AND first_sample < ${sampleOf(ask.untilMs)}`,
            ...(ask.fromMs === null ? [] : [sql`first_sample >= ${sampleOf(ask.fromMs)}`]),
            ...(ask.after === null ? [] : [sql`first_sample >= ${BigInt(ask.after.place)}`])
          ])} ORDER BY first_sample, seq ${page(ask)}`),
          // Whole milliseconds, never later than the sample: a play just before a boundary stays before it.
          (found) => found.map((fact) => ({ ...fact, atMs: Math.floor(msOf(Number(fact.place))) }))
        ),
      points: (ask) =>
        facts(sql`
          SELECT at::text AS place, agent_id AS subject_id, ${sql.literal(msText("at"))} AS at_ms, points::float8 AS value, NULL AS voter, NULL::float8 AS as_run_seq
          FROM points WHERE ${isWithin("at", ask)} AND ${ask.codes === null ? sql`true` : ask.codes.length === 0 ? sql`false` : sql`points >= 0 AND code IN ${sql.in(ask.codes)}`}
          ORDER BY at, agent_id, code, md5(subject_id) ${page(ask)}`),
      carriedVotes: (ask) => totals(ask, "like"),
      carriedRequests: (ask) => totals(ask, "request"),
      carriedPoints: (ask) =>
        ask.codes === null || ask.codes.length === 0
          ? Effect.succeed([])
          : facts(sql`
          SELECT '' AS place, agent_id AS subject_id, NULL::float8 AS at_ms, sum(points)::float8 AS value, NULL AS voter, NULL::float8 AS as_run_seq
          FROM point_totals WHERE NOT lost AND code IN ${sql.in(ask.codes)} GROUP BY agent_id ORDER BY agent_id ${page(ask)}`),
      // Points of more than 400 days ago are a part of the weight only, which engine/rules/ranks/Rank.ts defines: given as what they are worth now.
      carriedWeight: (ask) =>
        facts(sql`
          SELECT '' AS place, r.agent_id AS subject_id, NULL::float8 AS at_ms, NULL AS voter, NULL::float8 AS as_run_seq,
            (r.weight - coalesce((SELECT ${weightOfPoints} FROM points p WHERE p.agent_id = r.agent_id), 0))
              * power(2::float8, -(${ask.untilMs}::float8 - ${epochMs}::float8) / ${halfLifeMs}::float8) AS value
          FROM ranks r WHERE EXISTS (SELECT 1 FROM point_totals t WHERE t.agent_id = r.agent_id) ORDER BY r.agent_id ${page(ask)}`)
    }
    return { page: (source: EvidenceSource, ask: EvidenceAsk) => sources[source](ask) }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
