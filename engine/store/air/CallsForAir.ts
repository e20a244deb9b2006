import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, madeAtMs, SegmentId } from "../../../schema/Ids.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { callInDays } from "../../rules/listeners/limits.ts"
import { AirableSegments } from "./AirableSegments.ts"
import { ms } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

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
 * Calls stand in the queue beside the segments of agents, under ids of the same kind: the scheduler needn't know which is which.
 */
export const callsForAir = Layer.effect(
  AirableSegments,
  Effect.gen(function* () {
    const segments = yield* AirableSegments
    const sql = yield* SqlClient.SqlClient
    const select = sql`
    SELECT c.segment_id, i.listener_label AS label, t.title AS track, c.asset_id, a.body->'cue' AS cue, ${ms("c.approved_at")} AS approved_at_ms,
      floor(extract(epoch from i.created_at + make_interval(days => ${callInDays}::int)) * 1000)::float8 AS valid_until_ms
    FROM airings air JOIN call_ins c ON c.interaction_id = air.subject_id JOIN interactions i ON i.id = c.interaction_id AND i.moderation_status = 'approved' JOIN assets a ON a.id = c.asset_id LEFT JOIN tracks t ON t.id = i.track_id`
    return AirableSegments.of({
      queuedForAir: Effect.fnUntraced(function* (atMs, limit) {
        const spoken = yield* segments.queuedForAir(atMs, limit)
        const calls = yield* airables(
          sql`${select} WHERE air.subject = 'call' AND air.state = 'waiting' ORDER BY c.approved_at, c.segment_id LIMIT ${limit}`
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
                oneAirable(
                  sql`${select} WHERE air.subject = 'call' AND air.id = ${id} AND air.state IN ('waiting', 'placed')`
                ),
                (call) => (call === null ? null : airable(call))
              )
        ),
      refused: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.zipWith(
              segments.refused(ids),
              refusals(sql`
      SELECT air.id AS segment_id FROM airings air JOIN interactions i ON i.id = air.subject_id
      WHERE air.subject = 'call' AND air.id IN ${sql.in(ids)} AND (air.state NOT IN ('waiting', 'placed', 'airing') OR i.moderation_status <> 'approved')`),
              (spoken, calls) => [...spoken, ...calls.map(({ segmentId }) => segmentId)]
            )
    })
  })
)
