import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, SegmentId, ShowId } from "../../../schema/Ids.ts"
import { Airable } from "../../../schema/air/Rundown.ts"
import { CuePoints } from "../../../schema/Sound.ts"
import { scheduledForLateHours, segmentQueuedDays, showBoundDays } from "../../rules/segments/limits.ts"
import { AirableSegments } from "./AirableSegments.ts"
import { airsWithTopic } from "../programmes/Topics.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

const AirableRow = Schema.Struct({
  id: SegmentId,
  agentId: AgentId,
  displayName: Schema.String,
  title: Schema.String,
  topic: Schema.NullOr(Schema.String),
  assetId: AssetId,
  bedAssetId: Schema.NullOr(AssetId),
  cue: CuePoints,
  validFromMs: Schema.NullOr(Schema.Int),
  validUntilMs: Schema.NullOr(Schema.Int),
  showId: Schema.NullOr(ShowId)
})
const airables = rows(AirableRow)
const oneAirable = row(AirableRow)
const refusals = rows(Schema.Struct({ id: SegmentId }))

const airable = (row: typeof AirableRow.Type): Airable =>
  Airable.make({
    role: "segment",
    assetId: row.assetId,
    cue: row.cue,
    title: row.title,
    artist: row.displayName,
    speech: true,
    bedAssetId: row.bedAssetId,
    segmentId: row.id,
    trackId: null,
    agentId: row.agentId,
    topic: row.topic,
    genre: null,
    validFromMs: row.validFromMs,
    validUntilMs: row.validUntilMs,
    ...(row.showId === null ? {} : { showId: row.showId })
  })
/** Its agent means to air it in an hour of its own that isn't handed in yet: whatever becomes of that draft frees it. */
const waitsForPlan =
  "EXISTS (SELECT 1 FROM plans p WHERE p.agent_id = s.agent_id AND p.status = 'draft' AND p.items @> jsonb_build_array(jsonb_build_object('segmentId', s.id)))"
/** The segments as the scheduler sees them. */
export const segmentsForAir = Layer.effect(
  AirableSegments,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const select = sql`
    SELECT s.id, s.agent_id, s.display_name, s.title, s.topic_ids->>0 AS topic, s.asset_id, s.bed_asset_id, a.body->'cue' AS cue,
      ${ms("s.scheduled_for")} AS valid_from_ms,
      CASE WHEN s.plan_id IS NULL THEN s.agent_show_id END AS show_id,
      round(extract(epoch from least(air.changed_at + make_interval(days => CASE WHEN s.agent_show_id IS NULL OR s.plan_id IS NOT NULL THEN ${segmentQueuedDays}::int ELSE ${showBoundDays}::int END),
        greatest(s.scheduled_for, air.changed_at) + CASE WHEN s.scheduled_for IS NULL THEN NULL ELSE make_interval(hours => ${scheduledForLateHours}::int) END)) * 1000)::float8 AS valid_until_ms
    FROM airings air JOIN segments s ON s.id = air.id JOIN assets a ON a.id = s.asset_id`
    return AirableSegments.of({
      queuedForAir: (atMs, limit) => {
        // What has to wait for a block of its show takes no place from what may air at any time.
        const queued = (bound: boolean) =>
          airables(sql`
        ${select} WHERE air.subject = 'segment' AND air.state = 'waiting' AND s.audio_status = 'ready' AND NOT s.rerun_hold AND s.agent_show_id IS ${sql.literal(bound ? "NOT NULL" : "NULL")} AND s.plan_id IS NULL AND s.category <> 'panel_turn'
          AND (s.scheduled_for IS NULL OR s.scheduled_for <= ${at(atMs)} + interval '6 hours') AND NOT (${sql.literal(airsWithTopic)}) AND NOT (${sql.literal(waitsForPlan)})
        ORDER BY greatest(s.created_at, s.scheduled_for), s.id LIMIT ${limit}`)
        return Effect.zipWith(queued(false), queued(true), (open, bound) => [...open, ...bound].map(airable))
      },
      airable: (id) =>
        Effect.map(
          oneAirable(sql`
      ${select} WHERE air.id = ${id} AND air.state IN ('waiting', 'placed') AND s.audio_status = 'ready' AND NOT s.rerun_hold AND s.category <> 'panel_turn'`),
          (found) => (found === null ? null : airable(found))
        ),
      refused: (ids) =>
        ids.length === 0
          ? Effect.succeed([])
          : Effect.map(
              refusals(sql`SELECT id FROM segments WHERE id IN ${sql.in(ids)} AND (status <> 'queued' OR rerun_hold)`),
              (found) => found.map(({ id }) => id)
            )
    })
  })
)
