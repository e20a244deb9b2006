import { Context, Effect, Exit, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Role } from "../../../schema/agents/Agent.ts"
import { AgentId, TrackId } from "../../../schema/Ids.ts"
import { type BoardPeriod, BoardRow } from "../../../schema/ranks/Leaderboard.ts"
import { leaderboardKeptSec } from "../../rules/ranks/limits.ts"
import { sampleOf } from "../../../schema/time/Samples.ts"
import { at, ms } from "../sql/instants.ts"
import { onlyRow, row, rows, run } from "../sql/rows.ts"
import { weightOfPoints } from "./Ranks.ts"

const tier = Schema.Literals([0, 1, 2, 3, 4])
const nullable = Schema.NullOr(Schema.String)

/** An agent that boards may list. */
export const RankedAgent = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  avatarPath: nullable,
  role: Role,
  tier,
  weight: Schema.Finite
})
export type RankedAgent = typeof RankedAgent.Type
const RankedTrack = Schema.Struct({
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Schema.String,
  madeByStation: Schema.Boolean,
  tier: Schema.NullOr(tier)
})

const boardFields = {
  generatedAtMs: Schema.Finite,
  day: Schema.String,
  placesBefore: Schema.Record(Schema.String, Schema.Int),
  rows: Schema.Array(BoardRow),
  /** The last entry of the as-run log that it counted, and those with a score who may not be listed. */
  asRunSeq: Schema.Finite,
  leftOut: Schema.Array(Schema.String)
}
const Board = Schema.Struct(boardFields)
/** With the salt of its evidence, which never changes. */
const StoredBoard = Schema.Struct({ ...boardFields, salt: Schema.String })
export type Board = typeof Board.Type

export interface BoardName {
  readonly kind: string
  readonly category: string
  readonly period: BoardPeriod
}

/** A person who opted in to be listed; engine/rules/Rank turns `weight` into a score. */
const RankedHuman = Schema.Struct({
  slug: Schema.String,
  displayName: Schema.String,
  avatarPath: nullable,
  agentCount: Schema.Int,
  weight: Schema.Finite
})

const rankedHumans = rows(RankedHuman)
const rankedAgents = rows(RankedAgent)
const rankedTracks = rows(RankedTrack)
const oneBoard = row(StoredBoard)
const sums = rows(Schema.Struct({ id: Schema.String, code: Schema.String, count: Schema.Int, points: Schema.Int }))
const places = onlyRow(Schema.Struct({ seq: Schema.Int }))
const { avatarPath, displayName, handle, id } = RankedAgent.fields
const decidedBy = rows(Schema.Struct({ id, handle, displayName, avatarPath, bindingDecisions: Schema.Int }))
const owedRows = rows(Schema.Struct({ agentId: AgentId, code: Schema.String, subjectId: Schema.String }))

/** Boards as last published, and their sources. */
export class LeaderboardsWriter extends Context.Service<LeaderboardsWriter>()(
  "longwave/engine/store/LeaderboardsWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const isSince = (column: string, ms: number | null) =>
        ms === null ? sql`true` : sql`${sql.literal(column)} >= ${at(ms)}`
      /** Entries too old for the ledger count only in totals without a start. */
      const unionFolded = (sinceMs: number | null, totals: Statement.Statement<unknown>) =>
        sinceMs === null ? sql`UNION ALL ${totals}` : sql``
      const board = ({ category, kind, period }: BoardName) =>
        oneBoard(sql`
        SELECT ${ms("generated_at")} AS generated_at_ms, day::text AS day, places_before, rows, as_run_seq::float8 AS as_run_seq, left_out, salt FROM leaderboards
        WHERE kind = ${kind} AND category = ${category} AND period = ${period}`)
      const humans = yield* rankedHumans(sql`
        SELECT h.slug, h.display_name, h.avatar_path, count(*)::int AS agent_count, sum(coalesce(r.weight, 0)) AS weight
        FROM humans h JOIN agent_owners o ON o.human_id = h.id LEFT JOIN ranks r ON r.agent_id = o.agent_id
        WHERE h.published AND h.blocked_reason IS NULL GROUP BY h.id HAVING sum(coalesce(r.weight, 0)) > 0 ORDER BY weight DESC, h.id`).pipe(
        Effect.cachedWithTTL((exit) => (Exit.isSuccess(exit) ? `${leaderboardKeptSec} seconds` : 0))
      )
      const looks = new Map<string, Effect.Effect<typeof StoredBoard.Type | null>>()
      const keyOf = ({ category, kind, period }: BoardName) => `${kind}/${category}/${period}`
      return {
        /** Agents that may be listed, with the weight of what they earned before an instant. */
        agents: (untilMs: number) =>
          rankedAgents(sql`
          SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, a.persona->>'role' AS role, coalesce(g.tier_pin, r.earned_tier, 0) AS tier,
            coalesce(r.weight, 0) - coalesce(later.weight, 0) AS weight
          FROM agents a LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id
          LEFT JOIN (SELECT agent_id, ${weightOfPoints} AS weight FROM points WHERE at >= ${at(untilMs)} GROUP BY agent_id) later ON later.agent_id = a.id
          WHERE a.status = 'claimed' AND a.deleted_at IS NULL`),
        tracks: rankedTracks(sql`
          SELECT t.id, t.title, t.artist, t.genre, t.source = 'house' AS made_by_station, CASE WHEN t.agent_id IS NULL THEN NULL ELSE coalesce(g.tier_pin, r.earned_tier, 0) END AS tier
          FROM tracks t LEFT JOIN grants g ON g.agent_id = t.agent_id LEFT JOIN ranks r ON r.agent_id = t.agent_id
          WHERE t.approval_status = 'approved' AND t.category IN ('song', 'instrumental')`),
        /** Entries and points in the ledger by agent and kind, in a stretch of time. */
        sumEarned: (sinceMs: number | null, untilMs: number) =>
          sums(sql`
        SELECT agent_id AS id, code, sum(count)::int AS count, sum(points)::int AS points FROM (
          SELECT agent_id, code, count(*) AS count, sum(points) AS points FROM points WHERE points >= 0 AND ${isSince("at", sinceMs)} AND at < ${at(untilMs)} GROUP BY agent_id, code
          ${unionFolded(sinceMs, sql`SELECT agent_id, code, count, points FROM point_totals WHERE NOT lost`)}
        ) entries GROUP BY agent_id, code`),
        /** The last entry of the as-run log; 0 for an empty one. */
        findLastAsRun: (stationId: string) =>
          Effect.map(
            places(sql`SELECT coalesce(max(seq), 0)::float8 AS seq FROM as_run WHERE station_id = ${stationId}`),
            ({ seq }) => seq
          ),
        /** Plays, requests and likes of each track in a stretch of time. For all time, the as-run log is read from the last counted play on. */
        sumWished: Effect.fnUntraced(function* (
          stationId: string,
          asRunSeq: number,
          fromMs: number | null,
          untilMs: number
        ) {
          const place = sql`coalesce((SELECT c.seq FROM track_plays_counted c WHERE c.station_id = ${stationId}), 0)`
          // Known beforehand, the place tells the planner how few rows follow it. The statement compares with the place of its own snapshot.
          const known = fromMs === null ? yield* places(sql`SELECT ${place}::float8 AS seq`) : { seq: 0 }
          return yield* sums(sql`
        SELECT id, code, sum(count)::int AS count, sum(count)::int AS points FROM (
          SELECT track_id AS id, 'like' AS code, 1 AS count FROM track_votes WHERE action = 'like' AND counted AND ${isSince("at", fromMs)} AND at < ${at(untilMs)}
          UNION ALL SELECT track_id, 'request', 1 FROM song_requests WHERE ${isSince("created_at", fromMs)} AND created_at < ${at(untilMs)}
          UNION ALL SELECT track_id, 'play', 1 FROM as_run WHERE station_id = ${stationId} AND track_id IS NOT NULL AND seq <= ${BigInt(asRunSeq)} AND first_sample < ${sampleOf(untilMs)}
            AND ${fromMs === null ? sql`seq > ${BigInt(known.seq)} AND seq > ${place}` : sql`first_sample >= ${sampleOf(fromMs)}`}
          ${unionFolded(fromMs, sql`SELECT track_id, code, count FROM track_totals WHERE code IN ('like', 'request', 'play')`)}
        ) happened GROUP BY id, code`)
        }),
        /** People with an agent that has earned something, the highest first. Cached for a few seconds, so opting out takes effect quickly. */
        humans,
        /** Reviewers with binding decisions, and their number since an instant. */
        reviewers: (sinceMs: number | null) =>
          decidedBy(sql`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path, sum(p.count)::int AS binding_decisions
        FROM (
          SELECT agent_id, 1 AS count FROM points WHERE code = 'peer_decision_binding' AND ${isSince("at", sinceMs)}
          ${unionFolded(sinceMs, sql`SELECT agent_id, count FROM point_totals WHERE code = 'peer_decision_binding'`)}
        ) p JOIN agents a ON a.id = p.agent_id WHERE a.status = 'claimed' AND a.deleted_at IS NULL GROUP BY a.id`),
        /** Unrewarded likes of listeners (not by the owner) and plays of agents' tracks, since an instant. */
        listUnrewarded: (sinceMs: number, limit: number) =>
          owedRows(sql`
        SELECT e.* FROM (
          SELECT t.agent_id, 'listener_like' AS code, md5(v.track_id || v.voter) AS subject_id FROM track_votes v JOIN tracks t ON t.id = v.track_id
          WHERE v.action = 'like' AND v.counted AND v.at >= ${at(sinceMs)} AND NOT EXISTS (SELECT FROM agent_owners o WHERE o.agent_id = t.agent_id AND o.human_id = v.human_id)
          UNION ALL SELECT t.agent_id, 'track_play', 'asr_' || a.seq FROM as_run a JOIN tracks t ON t.id = a.track_id WHERE a.outcome = 'complete' AND a.first_sample >= ${sampleOf(sinceMs)}
        ) e WHERE e.agent_id IS NOT NULL AND NOT EXISTS (SELECT FROM points p WHERE p.agent_id = e.agent_id AND p.code = e.code AND p.subject_id = e.subject_id) LIMIT ${limit}`),
        board,
        /** Readers of this process see it at once, those of others after some seconds. */
        publish: (
          { category, kind, period }: BoardName,
          { asRunSeq, day, generatedAtMs, leftOut, placesBefore, rows }: Board
        ) =>
          run(sql`
        INSERT INTO leaderboards (kind, category, period, generated_at, day, places_before, rows, as_run_seq, left_out)
        VALUES (${kind}, ${category}, ${period}, ${at(generatedAtMs)}, ${day}::text::date, ${JSON.stringify(placesBefore)}::text::jsonb, ${JSON.stringify(rows)}::text::jsonb, ${BigInt(asRunSeq)}, ${JSON.stringify(leftOut)}::text::jsonb)
        ON CONFLICT (kind, category, period) DO UPDATE SET generated_at = excluded.generated_at, day = excluded.day, places_before = excluded.places_before, rows = excluded.rows, as_run_seq = excluded.as_run_seq, left_out = excluded.left_out
        WHERE leaderboards.generated_at <= excluded.generated_at`).pipe(
            Effect.tap(() => Effect.sync(() => looks.delete(keyOf({ category, kind, period }))))
          ),
        /** A board, cached for some seconds and shared by its readers. */
        findPublished: (name: BoardName) => {
          const key = keyOf(name)
          const known = looks.get(key)
          if (known !== undefined) return known
          return Effect.flatMap(
            Effect.cachedWithTTL(board(name), (exit) => (Exit.isSuccess(exit) ? `${leaderboardKeptSec} seconds` : 0)),
            (look) => {
              looks.set(key, look)
              return look
            }
          )
        }
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Leaderboards extends Context.Service<
  Leaderboards,
  Pick<
    LeaderboardsWriter["Service"],
    | "agents"
    | "tracks"
    | "sumEarned"
    | "findLastAsRun"
    | "sumWished"
    | "humans"
    | "reviewers"
    | "listUnrewarded"
    | "board"
    | "findPublished"
  >
>()("longwave/engine/store/Leaderboards") {
  static readonly layer = Layer.effect(this, LeaderboardsWriter).pipe(Layer.provideMerge(LeaderboardsWriter.layer))
}
