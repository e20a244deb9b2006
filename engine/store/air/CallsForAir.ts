import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, madeAtMs, SegmentId } from "../../../schema/Ids.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { callInDays } from "../../rules/listeners/limits.ts"
import { airedCompletelyShareMin } from "../../rules/segments/limits.ts"
import { AirableSegments } from "./AirableSegments.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

const AirableRow = Schema.Struct({
  segmentId: SegmentId,
  label: Schema.String,
  track: Schema.NullOr(Schema.String),
  assetId: AssetId,
  cue: CuePoints,
  approvedAtMs: Schema.Finite,
  validUntilMs: Schema.Int
})
const airables = rows(AirableRow)
const oneAirable = row(AirableRow)
const refusals = rows(Schema.Struct({ segmentId: SegmentId }))

const airable = ({ assetId, cue, label, segmentId, track, validUntilMs }: typeof AirableRow.Type): Airable =>
  Airable.make({
    role: "segment",
    assetId,
    cue,
    title: `${label === aListener ? "A call from a listener" : `A call from ${label}`}${track === null ? "" : `, for ${track}`}`,
    artist: label,
    speech: true,
    bedAssetId: null,
    segmentId,
    trackId: null,
    agentId: null,
    topic: null,
    genre: null,
    validFromMs: null,
    validUntilMs
  })
/**
 * Calls stand in the queue beside the segments of agents, under ids of the same kind, and move by the same transitions: the scheduler
 * needn't know which is which. Every mark carries the fence, as those of segments do.
 */
export const callsForAir = Layer.effect(
  AirableSegments,
  Effect.gen(function* () {
    const segments = yield* AirableSegments
    const sql = yield* SqlClient.SqlClient
    const mine = (fence: number) =>
      sql`fence <= ${BigInt(fence)} AND NOT EXISTS (SELECT 1 FROM stations WHERE stations.fence > ${BigInt(fence)})`
    const select = sql`
    SELECT c.segment_id, i.listener_label AS label, t.title AS track, c.asset_id, a.body->'cue' AS cue, ${ms("c.approved_at")} AS approved_at_ms,
      floor(extract(epoch from i.created_at + make_interval(days => ${callInDays}::int)) * 1000)::float8 AS valid_until_ms
    FROM call_ins c JOIN interactions i ON i.id = c.interaction_id AND i.moderation_status = 'approved' JOIN assets a ON a.id = c.asset_id LEFT JOIN tracks t ON t.id = i.track_id`
    return AirableSegments.of({
      queuedForAir: Effect.fnUntraced(function* (atMs, limit) {
        const spoken = yield* segments.queuedForAir(atMs, limit)
        const calls = yield* airables(
          sql`${select} WHERE c.air_status = 'queued' ORDER BY c.approved_at, c.segment_id LIMIT ${limit}`
        )
        const open = spoken.filter(({ showId }) => showId === undefined)
        const all = [
          ...open.map((each) => ({ each, sinceMs: Math.max(madeAtMs(each.segmentId!), each.validFromMs ?? 0) })),
          ...calls.map((row) => ({ each: airable(row), sinceMs: row.approvedAtMs }))
        ]
        return calls.length === 0
          ? spoken
          : [
              ...all
                .sort((a, b) => a.sinceMs - b.sinceMs)
                .slice(0, limit)
                .map(({ each }) => each),
              ...spoken.filter(({ showId }) => showId !== undefined)
            ]
      }),
      airable: (id) =>
        Effect.flatMap(segments.airable(id), (found) =>
          found !== null
            ? Effect.succeed(found)
            : Effect.map(
                oneAirable(sql`${select} WHERE c.segment_id = ${id} AND c.air_status IN ('queued', 'scheduled')`),
                (call) => (call === null ? null : airable(call))
              )
        ),
      refused: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.zipWith(
              segments.refused(ids),
              refusals(sql`
      SELECT c.segment_id FROM call_ins c JOIN interactions i ON i.id = c.interaction_id
      WHERE c.segment_id IN ${sql.in(ids)} AND (c.air_status NOT IN ('queued', 'scheduled', 'airing') OR i.moderation_status <> 'approved')`),
              (spoken, calls) => [...spoken, ...calls.map(({ segmentId }) => segmentId)]
            ),
      reclaim: (keep, from, fence) =>
        Effect.andThen(
          segments.reclaim(keep, from, fence),
          run(sql`
      UPDATE call_ins SET air_status = 'queued', air_reason = 'DISPLACED', expected_air_at = NULL, cut_before = cut_before OR air_status = 'airing', fence = ${BigInt(fence)}
      WHERE air_status IN ${sql.in(from)} AND ${keep.length === 0 ? sql`true` : sql`NOT ${sql.in("segment_id", keep)}`} AND ${mine(fence)}`)
        ),
      markScheduled: (id, expectedAtMs, fence) =>
        Effect.andThen(
          segments.markScheduled(id, expectedAtMs, fence),
          run(sql`
      UPDATE call_ins SET air_status = 'scheduled', air_reason = NULL, expected_air_at = ${at(expectedAtMs)}, fence = ${BigInt(fence)}
      WHERE segment_id = ${id} AND air_status IN ('queued', 'scheduled') AND ${mine(fence)}`)
        ),
      markQueued: (id, reason, fence) =>
        Effect.andThen(
          segments.markQueued(id, reason, fence),
          run(sql`
      UPDATE call_ins SET air_status = 'queued', air_reason = ${reason}, expected_air_at = NULL, cut_before = cut_before OR air_status = 'airing', fence = ${BigInt(fence)}
      WHERE segment_id = ${id} AND air_status IN ('scheduled', 'airing') AND ${mine(fence)}`)
        ),
      markFailed: (id, reason, fence) =>
        Effect.andThen(
          segments.markFailed(id, reason, fence),
          run(sql`
      UPDATE call_ins SET air_status = 'failed', air_reason = ${reason}, expected_air_at = NULL, fence = ${BigInt(fence)} WHERE segment_id = ${id} AND air_status = 'queued' AND ${mine(fence)}`)
        ),
      markAiring: (id, atMs, fence) =>
        Effect.andThen(
          segments.markAiring(id, atMs, fence),
          run(sql`
      UPDATE call_ins SET air_status = 'airing', air_reason = NULL, aired_at = ${at(atMs)}, fence = ${BigInt(fence)} WHERE segment_id = ${id} AND air_status = 'scheduled' AND ${mine(fence)}`)
        ),
      // Cut before half of it was heard it airs once more; then what was heard of it is what aired.
      markAired: (id, heard, fence) =>
        Effect.andThen(
          segments.markAired(id, heard, fence),
          run(sql`
      WITH heard AS (
        UPDATE call_ins SET cut_before = cut_before OR ${!heard.complete}::boolean, expected_air_at = NULL, fence = ${BigInt(fence)},
          air_status = CASE WHEN ${heard.complete || heard.share >= airedCompletelyShareMin}::boolean OR cut_before THEN 'aired' ELSE 'queued' END,
          air_reason = CASE WHEN ${heard.complete || heard.share >= airedCompletelyShareMin}::boolean THEN NULL ELSE 'CUT' END,
          aired_completely = CASE WHEN ${heard.complete || heard.share >= airedCompletelyShareMin}::boolean OR cut_before THEN ${heard.complete}::boolean END
        WHERE segment_id = ${id} AND air_status = 'airing' AND ${mine(fence)} RETURNING interaction_id, air_status)
      UPDATE interactions SET moderation_status = 'aired', visibility = 'on_air' WHERE moderation_status = 'approved' AND id IN (SELECT interaction_id FROM heard WHERE air_status = 'aired')`)
        )
    })
  })
)
