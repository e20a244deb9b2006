import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, AssetId, SegmentId, SessionId, TurnId } from "../../schema/Ids.ts"
import type { SegmentStatus } from "../../schema/Segment.ts"
import { turnLeaseSec, turnRetrySec } from "../Limits.ts"

/** A turn that waits for its sound. */
export interface SilentTurn {
  readonly segmentId: SegmentId
  readonly sessionId: SessionId
  readonly agentId: AgentId
  readonly handle: string
  readonly scriptText: string
  readonly tries: number
}

/** How far the sound of a turn is. */
export interface TurnSound {
  readonly segmentId: SegmentId
  readonly assetId: AssetId | null
  /** Its sound may yet come. */
  readonly waits: boolean
  /** It has one, and nobody has anything against it. */
  readonly airs: boolean
}

/** What a panel doesn't know yet of one of its turns. */
export interface UntoldTurn {
  readonly sessionId: SessionId
  readonly turnId: TurnId
  readonly durationSec: number | null
  /** Null where its sound is there. */
  readonly failing: string | null
}

/** A panel's own segment, whose turns wait for what became of it. */
export interface PanelHeard {
  readonly sessionId: SessionId
  readonly status: SegmentStatus
  readonly airedAtMs: number | null
  readonly statusChangedAtMs: number
}

/** The segments of turns: how they get their sound and their end. None of them is ever an item of the rundown. */
export class PanelTurns extends Context.Service<PanelTurns, {
  /** Takes the one that has waited longest and that nobody is at; one try more is counted. */
  readonly lease: (nowMs: number) => Effect.Effect<SilentTurn | null>
  readonly prolong: (segmentId: SegmentId, nowMs: number) => Effect.Effect<void>
  /** Nobody is at it any more. Where the station was at fault, or told to stop, the try doesn't count. */
  readonly release: (segmentId: SegmentId, counts: boolean, nowMs: number) => Effect.Effect<void>
  readonly ofSession: (sessionId: SessionId) => Effect.Effect<ReadonlyArray<TurnSound>>
  /** With sound, or never to have one, without their panel knowing. */
  readonly untold: (limit: number) => Effect.Effect<ReadonlyArray<UntoldTurn>>
  /** Panels whose own segment has ended, and turns of theirs have not. */
  readonly ended: (limit: number) => Effect.Effect<ReadonlyArray<PanelHeard>>
  readonly unended: (sessionId: SessionId) => Effect.Effect<ReadonlyArray<{ readonly segmentId: SegmentId; readonly turnId: TurnId | null }>>
  readonly end: (segmentId: SegmentId, change: { readonly to: SegmentStatus; readonly reason: string | null; readonly airedAtMs: number | null; readonly airedCompletely: boolean | null; readonly atMs: number }) => Effect.Effect<void>
}>()("longwave/engine/store/PanelTurns") {
  static readonly layer = Layer.effect(PanelTurns, Effect.map(SqlClient.SqlClient, (sql) => {
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    return PanelTurns.of({
      lease: (nowMs) => Effect.orDie(Effect.map(sql<SilentTurn>`
        UPDATE segments s SET audio_status = 'rendering', audio_tries = audio_tries + 1, updated_at = ${at(nowMs)} WHERE s.id = (
          SELECT id FROM segments WHERE category = 'panel_turn' AND status = 'queued' AND session_id IS NOT NULL AND (
            audio_status = 'none' AND (audio_tries = 0 OR updated_at <= ${at(nowMs)} - make_interval(secs => ${turnRetrySec}::float8 * 2 ^ least(audio_tries - 1, 6)))
            OR audio_status = 'rendering' AND updated_at <= ${at(nowMs)} - make_interval(secs => ${turnLeaseSec}::float8))
          ORDER BY created_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING s.id AS segment_id, s.session_id, s.agent_id, s.handle, s.script_text, s.audio_tries AS tries`, (rows) => rows[0] ?? null)),
      prolong: (segmentId, nowMs) => Effect.orDie(Effect.asVoid(sql`UPDATE segments SET updated_at = ${at(nowMs)} WHERE id = ${segmentId} AND audio_status = 'rendering'`)),
      release: (segmentId, counts, nowMs) => Effect.orDie(Effect.asVoid(sql`
        UPDATE segments SET audio_status = 'none', audio_tries = audio_tries - CASE WHEN ${counts} THEN 0 ELSE 1 END, status_reason = 'NO_AUDIO', updated_at = ${at(nowMs)}
        WHERE id = ${segmentId} AND audio_status = 'rendering'`)),
      ofSession: (sessionId) => Effect.orDie(sql<TurnSound>`
        SELECT id AS segment_id, asset_id, status = 'queued' AND audio_status IN ('none', 'rendering') AS waits, status = 'queued' AND audio_status = 'ready' AS airs
        FROM segments WHERE session_id = ${sessionId} AND category = 'panel_turn'`),
      untold: (limit) => Effect.orDie(sql<UntoldTurn>`
        SELECT p.id AS session_id, t->>'turnId' AS turn_id, s.duration_sec, CASE WHEN s.audio_status = 'ready' THEN NULL ELSE coalesce(s.status_reason, s.status) END AS failing
        FROM panel_sessions p CROSS JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t JOIN segments s ON s.id = t->>'segmentId'
        WHERE p.status IN ('recording', 'complete', 'ready_to_produce') AND t->>'status' = 'submitted' AND NOT (t->>'voiced')::boolean
          AND (s.audio_status = 'ready' OR t->>'unvoiced' IS NULL AND (s.audio_status = 'failed' OR s.status <> 'queued'))
        ORDER BY s.created_at, s.id LIMIT ${limit}`),
      ended: (limit) => Effect.orDie(sql<PanelHeard>`
        SELECT DISTINCT t.session_id, w.status, round(extract(epoch from w.aired_at) * 1000)::float8 AS aired_at_ms, round(extract(epoch from w.status_changed_at) * 1000)::float8 AS status_changed_at_ms
        FROM segments t JOIN segments w ON w.session_id = t.session_id AND w.category = 'panel'
        WHERE t.category = 'panel_turn' AND t.status = 'queued' AND w.status IN ('aired', 'rejected', 'expired', 'cancelled') LIMIT ${limit}`),
      unended: (sessionId) => Effect.orDie(sql<{ segmentId: SegmentId; turnId: TurnId | null }>`
        SELECT s.id AS segment_id, t->>'turnId' AS turn_id FROM segments s JOIN panel_sessions p ON p.id = s.session_id
          LEFT JOIN LATERAL jsonb_array_elements(p.body->'turns') AS t ON t->>'segmentId' = s.id
        WHERE s.session_id = ${sessionId} AND s.category = 'panel_turn' AND s.status = 'queued'`),
      end: (segmentId, { airedAtMs, airedCompletely, atMs, reason, to }) => Effect.orDie(Effect.asVoid(sql`
        UPDATE segments SET status = ${to}, status_reason = ${reason}, status_changed_at = ${at(atMs)}, aired_at = ${at(airedAtMs)}, aired_completely = ${airedCompletely}, updated_at = ${at(atMs)}
        WHERE id = ${segmentId} AND category = 'panel_turn' AND status = 'queued'`))
    })
  }))
}
