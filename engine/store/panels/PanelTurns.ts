import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AssetId, SegmentId, SessionId, TurnId } from "../../../schema/Ids.ts"
import { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { ms } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"

/** State of a turn's sound. */
const TurnSound = Schema.Struct({
  segmentId: SegmentId,
  assetId: Schema.NullOr(AssetId),
  /** Its sound may still come. */
  waits: Schema.Boolean,
  /** It has sound and no review or judgement blocks it. */
  airs: Schema.Boolean
})

/** News about a turn that its panel hasn't processed. */
const UntoldTurn = Schema.Struct({
  sessionId: SessionId,
  turnId: TurnId,
  durationSec: Schema.NullOr(Schema.Finite),
  /** Null if it has sound. */
  failing: Schema.NullOr(Schema.String)
})

/** A panel's own segment, which ends its turns. */
const PanelHeard = Schema.Struct({
  sessionId: SessionId,
  status: SegmentStatus,
  airedAtMs: Schema.NullOr(Schema.Finite),
  statusChangedAtMs: Schema.Finite
})

const sounds = rows(TurnSound)
const untold = rows(UntoldTurn)
const heardRows = rows(PanelHeard)
const unended = rows(Schema.Struct({ segmentId: SegmentId, turnId: Schema.NullOr(TurnId) }))

/** Segments of turns: their sound and their end. Turns are never items of the rundown. */
export class PanelTurns extends Context.Service<PanelTurns>()("longwave/engine/store/PanelTurns", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    return {
      listBySession: (sessionId: SessionId) =>
        sounds(sql`
        SELECT id AS segment_id, asset_id, status = 'queued' AND audio_status IN ('none', 'rendering') AS waits, status = 'queued' AND audio_status = 'ready' AS airs
        FROM segments WHERE session_id = ${sessionId} AND category = 'panel_turn'`),
      /** Turns that got their sound, or never will, without their panel knowing: of one session or of all. */
      listUntold: (sessionId: SessionId | null, limit: number) =>
        untold(sql`
        SELECT p.id AS session_id, t->>'turnId' AS turn_id, s.duration_sec, CASE WHEN s.audio_status = 'ready' THEN NULL ELSE coalesce(s.status_reason, s.status) END AS failing
        FROM panel_sessions p CROSS JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t JOIN segments s ON s.id = t->>'segmentId'
        WHERE p.status IN ('recording', 'complete', 'ready_to_produce') AND t->>'status' = 'submitted' AND NOT (t->>'voiced')::boolean ${sessionId === null ? sql`` : sql`AND p.id = ${sessionId}`}
          AND (s.audio_status = 'ready' OR t->>'unvoiced' IS NULL AND (s.audio_status = 'failed' OR s.status <> 'queued'))
        ORDER BY s.created_at, s.id LIMIT ${limit}`),
      /** Panels whose own segment has ended before their turns. */
      listEnded: (limit: number) =>
        heardRows(sql`
        SELECT DISTINCT t.session_id, w.status, ${ms("air.begun_at")} AS aired_at_ms, ${ms("w.status_changed_at")} AS status_changed_at_ms
        FROM segments t JOIN segments w ON w.session_id = t.session_id AND w.category = 'panel' LEFT JOIN airings air ON air.id = w.id
        WHERE t.category = 'panel_turn' AND t.status = 'queued' AND w.status IN ('aired', 'rejected', 'expired', 'cancelled') LIMIT ${limit}`),
      listUnended: (sessionId: SessionId) =>
        unended(sql`
        SELECT s.id AS segment_id, t->>'turnId' AS turn_id FROM segments s JOIN panel_sessions p ON p.id = s.session_id
          LEFT JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t ON t->>'segmentId' = s.id
        WHERE s.session_id = ${sessionId} AND s.category = 'panel_turn' AND s.status = 'queued'`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
