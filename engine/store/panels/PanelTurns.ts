import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, SegmentId, SessionId, TurnId } from "../../../schema/Ids.ts"
import { SegmentStatus } from "../../../schema/segments/Segment.ts"
import { turnLeaseSec, turnRetrySec } from "../../rules/panels/limits.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"

/** A turn that waits for its sound. */
const SilentTurn = Schema.Struct({
  segmentId: SegmentId,
  sessionId: SessionId,
  agentId: AgentId,
  handle: Schema.String,
  scriptText: Schema.String,
  tries: Schema.Int
})
export type SilentTurn = typeof SilentTurn.Type

/** How far the sound of a turn is. */
const TurnSound = Schema.Struct({
  segmentId: SegmentId,
  assetId: Schema.NullOr(AssetId),
  /** Its sound may yet come. */
  waits: Schema.Boolean,
  /** It has one, and nobody has anything against it. */
  airs: Schema.Boolean
})

/** What a panel doesn't know yet of one of its turns. */
const UntoldTurn = Schema.Struct({
  sessionId: SessionId,
  turnId: TurnId,
  durationSec: Schema.NullOr(Schema.Finite),
  /** Null where its sound is there. */
  failing: Schema.NullOr(Schema.String)
})

/** A panel's own segment, whose turns wait for what became of it. */
const PanelHeard = Schema.Struct({
  sessionId: SessionId,
  status: SegmentStatus,
  airedAtMs: Schema.NullOr(Schema.Finite),
  statusChangedAtMs: Schema.Finite
})

const silentTurn = row(SilentTurn)
const sounds = rows(TurnSound)
const untold = rows(UntoldTurn)
const heard = rows(PanelHeard)
const unended = rows(Schema.Struct({ segmentId: SegmentId, turnId: Schema.NullOr(TurnId) }))

/** The segments of turns: how they get their sound and their end. None of them is ever an item of the rundown. */
export class PanelTurns extends Context.Service<PanelTurns>()("longwave/engine/store/PanelTurns", {
  make: Effect.map(SqlClient.SqlClient, (sql) => {
    return {
      /** Takes the one that has waited longest and that nobody is at; one try more is counted. */
      lease: (nowMs: number) =>
        silentTurn(sql`
        UPDATE segments s SET audio_status = 'rendering', audio_tries = audio_tries + 1, updated_at = ${at(nowMs)} WHERE s.id = (
          SELECT id FROM segments WHERE category = 'panel_turn' AND status = 'queued' AND session_id IS NOT NULL AND (
            audio_status = 'none' AND (audio_tries = 0 OR updated_at <= ${at(nowMs)} - make_interval(secs => ${turnRetrySec}::float8 * 2 ^ least(audio_tries - 1, 6)))
            OR audio_status = 'rendering' AND updated_at <= ${at(nowMs)} - make_interval(secs => ${turnLeaseSec}::float8))
          ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING s.id AS segment_id, s.session_id, s.agent_id, s.handle, s.script_text, s.audio_tries AS tries`),
      prolong: (segmentId: SegmentId, nowMs: number) =>
        run(sql`UPDATE segments SET updated_at = ${at(nowMs)} WHERE id = ${segmentId} AND audio_status = 'rendering'`),
      /** Nobody is at it any more. Where the station was at fault, or told to stop, the try doesn't count. */
      release: (segmentId: SegmentId, counts: boolean, nowMs: number) =>
        run(sql`
        UPDATE segments SET audio_status = 'none', audio_tries = audio_tries - CASE WHEN ${counts} THEN 0 ELSE 1 END, status_reason = 'NO_AUDIO', updated_at = ${at(nowMs)}
        WHERE id = ${segmentId} AND audio_status = 'rendering'`),
      ofSession: (sessionId: SessionId) =>
        sounds(sql`
        SELECT id AS segment_id, asset_id, status = 'queued' AND audio_status IN ('none', 'rendering') AS waits, status = 'queued' AND audio_status = 'ready' AS airs
        FROM segments WHERE session_id = ${sessionId} AND category = 'panel_turn'`),
      /** With sound, or never to have one, without their panel knowing. */
      untold: (limit: number) =>
        untold(sql`
        SELECT p.id AS session_id, t->>'turnId' AS turn_id, s.duration_sec, CASE WHEN s.audio_status = 'ready' THEN NULL ELSE coalesce(s.status_reason, s.status) END AS failing
        FROM panel_sessions p CROSS JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t JOIN segments s ON s.id = t->>'segmentId'
        WHERE p.status IN ('recording', 'complete', 'ready_to_produce') AND t->>'status' = 'submitted' AND NOT (t->>'voiced')::boolean
          AND (s.audio_status = 'ready' OR t->>'unvoiced' IS NULL AND (s.audio_status = 'failed' OR s.status <> 'queued'))
        ORDER BY s.created_at, s.id LIMIT ${limit}`),
      /** Panels whose own segment has ended, and turns of theirs have not. */
      ended: (limit: number) =>
        heard(sql`
        SELECT DISTINCT t.session_id, w.status, ${ms("air.begun_at")} AS aired_at_ms, ${ms("w.status_changed_at")} AS status_changed_at_ms
        FROM segments t JOIN segments w ON w.session_id = t.session_id AND w.category = 'panel' LEFT JOIN airings air ON air.id = w.id
        WHERE t.category = 'panel_turn' AND t.status = 'queued' AND w.status IN ('aired', 'rejected', 'expired', 'cancelled') LIMIT ${limit}`),
      unended: (sessionId: SessionId) =>
        unended(sql`
        SELECT s.id AS segment_id, t->>'turnId' AS turn_id FROM segments s JOIN panel_sessions p ON p.id = s.session_id
          LEFT JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t ON t->>'segmentId' = s.id
        WHERE s.session_id = ${sessionId} AND s.category = 'panel_turn' AND s.status = 'queued'`),
      end: (
        segmentId: SegmentId,
        {
          airedAtMs,
          airedCompletely,
          atMs,
          reason,
          to
        }: {
          readonly to: SegmentStatus
          readonly reason: string | null
          readonly airedAtMs: number | null
          readonly airedCompletely: boolean | null
          readonly atMs: number
        }
      ) =>
        run(sql`
        WITH ended AS (UPDATE segments SET status = ${to}, status_reason = ${reason}, status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)}
          WHERE id = ${segmentId} AND category = 'panel_turn' AND status = 'queued' RETURNING id)
        UPDATE airings SET state = ${to === "aired" || to === "expired" ? to : "withdrawn"}, reason = ${reason}, begun_at = ${at(airedAtMs)}, complete = ${airedCompletely},
          changed_at = ${at(atMs)}, updated_at = ${at(atMs)} WHERE id IN (SELECT id FROM ended)`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
