import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { Airable } from "../../../schema/air/Rundown.ts"
import { AgentId, AssetId, SegmentId, ShowId, SongRequestId, TrackId } from "../../../schema/Ids.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { songRequestHardHours } from "../../rules/air/limits.ts"
import { callInDays } from "../../rules/listeners/limits.ts"
import { scheduledForLateHours, segmentQueuedDays, showBoundDays } from "../../rules/segments/limits.ts"
import { airsWithTopic } from "../programmes/Topics.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

const spoken = {
  segmentId: SegmentId,
  assetId: AssetId,
  cue: CuePoints,
  /** Start of the wait; for a segment scheduled later, that time. */
  sinceMs: Schema.Finite
}
const SegmentRow = Schema.Struct({
  ...spoken,
  agentId: AgentId,
  displayName: Schema.String,
  title: Schema.String,
  topic: Schema.NullOr(Schema.String),
  bedAssetId: Schema.NullOr(AssetId),
  validFromMs: Schema.NullOr(Schema.Int),
  validUntilMs: Schema.NullOr(Schema.Int),
  showId: Schema.NullOr(ShowId)
})
const CallRow = Schema.Struct({
  ...spoken,
  label: Schema.String,
  track: Schema.NullOr(Schema.String),
  validUntilMs: Schema.Int
})
const WaitingSong = Schema.Struct({ trackId: TrackId, songRequestIds: Schema.Array(SongRequestId) })
const WaitingFigures = Schema.Struct({ pendingReview: Schema.Int, oldestQueuedAtMs: Schema.NullOr(Schema.Finite) })
export type WaitingFigures = typeof WaitingFigures.Type

const segmentRows = rows(SegmentRow)
const callRows = rows(CallRow)
const ids = rows(Schema.Struct({ id: SegmentId }))
const songs = rows(WaitingSong)
const dueRequests = rows(Schema.Struct({ id: SongRequestId, why: Schema.Literals(["expired", "stopped", "refused"]) }))
const figures = row(WaitingFigures)

const speech = { role: "segment", speech: true, trackId: null, genre: null } as const
const airableSegment = ({ displayName, showId, ...row }: typeof SegmentRow.Type): Airable =>
  Airable.make({
    ...speech,
    ...Struct.omit(row, ["sinceMs"]),
    artist: displayName,
    ...(showId === null ? {} : { showId })
  })
const airableCall = ({ label, track, ...row }: typeof CallRow.Type): Airable =>
  Airable.make({
    ...speech,
    ...Struct.omit(row, ["sinceMs"]),
    title: `${label === aListener ? "A call from a listener" : `A call from ${label}`}${track === null ? "" : `, for ${track}`}`,
    artist: label,
    bedAssetId: null,
    agentId: null,
    topic: null,
    validFromMs: null
  })

/** A draft of its agent's plan contains it. Submitting or dropping the draft frees the segment. */
const isInDraft =
  "EXISTS (SELECT 1 FROM plans p WHERE p.agent_id = s.agent_id AND p.status = 'draft' AND p.items @> jsonb_build_array(jsonb_build_object('segmentId', s.id)))"

/**
 * Candidates of the scheduler: queued segments, approved calls and requested songs. Calls have ids of the same form as segments, so the scheduler
 * treats both alike.
 */
export class Candidates extends Context.Service<Candidates>()("longwave/engine/store/Candidates", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const segments = (which: Statement.Fragment) =>
      segmentRows(sql`
      SELECT s.id AS segment_id, s.agent_id, s.display_name, s.title, s.topic_ids->>0 AS topic, s.asset_id, s.bed_asset_id, a.body->'cue' AS cue,
        ${ms("greatest(s.created_at, s.scheduled_for)")} AS since_ms, ${ms("s.scheduled_for")} AS valid_from_ms,
        CASE WHEN s.plan_id IS NULL THEN s.agent_show_id END AS show_id,
        round(extract(epoch from least(air.changed_at + make_interval(days => CASE WHEN s.agent_show_id IS NULL OR s.plan_id IS NOT NULL THEN ${segmentQueuedDays}::int ELSE ${showBoundDays}::int END),
          greatest(s.scheduled_for, air.changed_at) + CASE WHEN s.scheduled_for IS NULL THEN NULL ELSE make_interval(hours => ${scheduledForLateHours}::int) END)) * 1000)::float8 AS valid_until_ms
      FROM airings air JOIN segments s ON s.id = air.id JOIN assets a ON a.id = s.asset_id
      WHERE s.audio_status = 'ready' AND NOT s.rerun_hold AND s.category <> 'panel_turn' AND ${which}`)

    const listQueuedSegments = (isOfShow: boolean, atMs: number, limit: number) =>
      segments(sql`air.subject = 'segment' AND air.state = 'waiting' AND s.agent_show_id IS ${sql.literal(isOfShow ? "NOT NULL" : "NULL")} AND s.plan_id IS NULL
        AND (s.scheduled_for IS NULL OR s.scheduled_for <= ${at(atMs)} + interval '6 hours') AND NOT (${sql.literal(airsWithTopic)}) AND NOT (${sql.literal(isInDraft)})
      ORDER BY greatest(s.created_at, s.scheduled_for), s.id LIMIT ${limit}`)

    const listCalls = (which: Statement.Fragment) =>
      callRows(sql`
      SELECT c.segment_id, i.listener_label AS label, t.title AS track, c.asset_id, a.body->'cue' AS cue, ${ms("c.approved_at")} AS since_ms,
        floor(extract(epoch from i.created_at + make_interval(days => ${callInDays}::int)) * 1000)::float8 AS valid_until_ms
      FROM airings air JOIN call_ins c ON c.interaction_id = air.subject_id JOIN interactions i ON i.id = c.interaction_id AND i.moderation_status = 'approved'
        JOIN assets a ON a.id = c.asset_id LEFT JOIN tracks t ON t.id = i.track_id
      WHERE air.subject = 'call' AND ${which}`)

    return {
      /**
       * Segments and calls that may air at `atMs` or in the six hours after it, at most `limit`, the longest waiting first. Then up to `limit`
       * segments that wait for a block of their show, so that they displace no others.
       */
      listQueued: Effect.fnUntraced(function* (atMs: number, limit: number) {
        const open = yield* listQueuedSegments(false, atMs, limit)
        const ofShows = yield* listQueuedSegments(true, atMs, limit)
        const called = yield* listCalls(sql`air.state = 'waiting' ORDER BY c.approved_at, c.segment_id LIMIT ${limit}`)
        const inOrder = [
          ...open.map((segment) => ({ sinceMs: segment.sinceMs, airable: airableSegment(segment) })),
          ...called.map((call) => ({ sinceMs: call.sinceMs, airable: airableCall(call) }))
        ].sort((a, b) => a.sinceMs - b.sinceMs)
        return [...inOrder.slice(0, limit).map(({ airable }) => airable), ...ofShows.map(airableSegment)]
      }),
      /** A waiting or placed segment or call that may air now; null for any other. */
      findAirable: Effect.fnUntraced(function* (id: SegmentId) {
        const isOpen = sql`air.id = ${id} AND air.state IN ('waiting', 'placed')`
        const [segment] = yield* segments(isOpen)
        if (segment !== undefined) return airableSegment(segment)
        const [call] = yield* listCalls(isOpen)
        return call === undefined ? null : airableCall(call)
      }),
      /** Those that may no longer air: held, cancelled, rejected or expired. Checked again when the item is taken. */
      findRefused: (given: ReadonlyArray<SegmentId>) =>
        given.length === 0
          ? Effect.succeed([])
          : Effect.map(
              ids(sql`
              SELECT id FROM segments WHERE id IN ${sql.in(given)} AND (status <> 'queued' OR rerun_hold)
              UNION ALL
              SELECT air.id FROM airings air JOIN interactions i ON i.id = air.subject_id
              WHERE air.subject = 'call' AND air.id IN ${sql.in(given)} AND (air.state NOT IN ('waiting', 'placed', 'airing') OR i.moderation_status <> 'approved')`),
              (found) => found.map(({ id }) => id)
            ),
      /** Requested songs in rotation, each with all its waiting requests, in order of the first request. */
      songs: (limit: number) =>
        songs(sql`
        SELECT r.track_id, array_agg(r.id ORDER BY r.created_at, r.id) AS song_request_ids FROM song_requests r JOIN tracks t ON t.id = r.track_id
        WHERE r.status = 'pending' AND t.approval_status = 'approved' GROUP BY r.track_id ORDER BY min(r.created_at), r.track_id LIMIT ${limit}`),
      /** Requests past their time, with a place (`stopped`) or without (`expired`), and those whose track left rotation (`findRefused`). */
      findDueRequests: (nowMs: number) =>
        Effect.map(
          dueRequests(sql`
        SELECT id, CASE WHEN created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)} THEN 'stopped' WHEN expires_at <= ${at(nowMs)} THEN 'expired' ELSE 'refused' END AS why
        FROM song_requests r WHERE status = 'pending' AND (expires_at <= ${at(nowMs)} OR created_at <= ${at(nowMs - songRequestHardHours * 3_600_000)}
          OR NOT EXISTS (SELECT 1 FROM tracks t WHERE t.id = r.track_id AND t.approval_status = 'approved')) ORDER BY id`),
          (found) => {
            const idsWhere = (wanted: (typeof found)[number]["why"]) =>
              found.flatMap(({ id, why }) => (why === wanted ? [id] : []))
            return { expired: idsWhere("expired"), stopped: idsWhere("stopped"), refused: idsWhere("refused") }
          }
        ),
      /** Number of segments in review, and the start of the oldest wait for the air, for the queue's health. */
      figures: Effect.map(
        figures(sql`
        SELECT (SELECT count(*)::int FROM segments WHERE status = 'pending_review') AS pending_review,
          (SELECT ${ms("min(changed_at)")} FROM airings WHERE subject = 'segment' AND state = 'waiting') AS oldest_queued_at_ms`),
        (found) => found ?? { pendingReview: 0, oldestQueuedAtMs: null }
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
