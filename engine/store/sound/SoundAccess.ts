import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId } from "../../../schema/Ids.ts"
import { rows } from "../sql/rows.ts"

/** Readers of a sound: everybody, or its agent and the station. */
const SoundReach = Schema.Struct({
  everybody: Schema.Boolean,
  agentId: Schema.NullOr(AgentId),
  /** Participants of the panel it belongs to. */
  seated: Schema.Array(AgentId)
})
export type SoundReach = typeof SoundReach.Type

const reachRows = rows(SoundReach)

/** Sounds that aired, and house sounds, are public; waiting, rejected and held ones aren't. */
export class SoundAccess extends Context.Service<SoundAccess>()("longwave/engine/store/SoundAccess", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      reach: (assetId: string) =>
        Effect.map(
          reachRows(sql`
        SELECT s.status = 'aired' AND NOT s.rerun_hold AND NOT EXISTS (SELECT 1 FROM replays r WHERE r.segment_id = s.id AND r.hidden)
          AND NOT EXISTS (SELECT 1 FROM segments w LEFT JOIN replays r ON r.segment_id = w.id WHERE s.category = 'panel_turn' AND w.session_id = s.session_id AND w.category = 'panel' AND (w.rerun_hold OR r.hidden)) AS everybody, s.agent_id, ARRAY(SELECT t.agent_id FROM panel_seats t WHERE t.session_id = s.session_id) AS seated FROM segments s WHERE s.asset_id = ${assetId}
        UNION ALL SELECT c.published_at IS NOT NULL AND NOT c.hidden AND s.status = 'aired' AND NOT s.rerun_hold AND NOT coalesce(r.hidden, false), NULL, ARRAY[]::text[] FROM clips c JOIN segments s ON s.id = c.segment_id LEFT JOIN replays r ON r.id = c.replay_id WHERE c.asset_id = ${assetId}
        UNION ALL SELECT coalesce(air.state = 'aired', false) AND i.visibility = 'on_air', NULL, ARRAY[]::text[] FROM call_ins c JOIN interactions i ON i.id = c.interaction_id LEFT JOIN airings air ON air.id = c.segment_id WHERE c.asset_id = ${assetId}
        UNION ALL SELECT t.approval_status = 'approved', t.agent_id, ARRAY[]::text[] FROM tracks t WHERE t.asset_id = ${assetId}
        UNION ALL SELECT false, u.agent_id, ARRAY[]::text[] FROM uploads u WHERE u.asset_id = ${assetId} AND u.removed_at IS NULL
        UNION ALL SELECT false, r.agent_id, ARRAY[]::text[] FROM music_variants v JOIN music_requests r ON r.id = v.request_id WHERE v.asset_id = ${assetId}
        UNION ALL SELECT false, NULL, ARRAY[]::text[] FROM music_submissions m WHERE m.asset_id = ${assetId}
        UNION ALL SELECT true, NULL, ARRAY[]::text[] FROM house_pieces h WHERE h.airable->>'assetId' = ${assetId}`),
          (found) => found.find(({ everybody }) => everybody) ?? found[0] ?? null
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
