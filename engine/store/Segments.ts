import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, AssetId, SegmentId } from "../../schema/Ids.ts"
import type { SegmentStatus } from "../../schema/Segment.ts"
import { columns, fromRow, type SegmentRecord } from "./SegmentRecords.ts"

/** What is written once, when a segment comes in; the rest begins empty. */
export type NewSegment = Omit<SegmentRecord,
  "statusChangedAtMs" | "audioTries" | "expectedAirAtMs" | "airedAtMs" | "airedCompletely" | "cutBefore" | "rerunHold" | "updatedAtMs" | "marks" | "planId" | "sessionId"> & Partial<Pick<SegmentRecord, "planId" | "sessionId">>

/** The sound a segment was given. */
export interface SegmentSound {
  readonly assetId: AssetId
  readonly bedAssetId: AssetId | null
  readonly durationSec: number
  readonly engine: NonNullable<SegmentRecord["engine"]>
  readonly voiceId: string
  readonly bedStatus: SegmentRecord["bedStatus"]
  readonly bedTrackId: string | null
  readonly loudnessLufs: number
}

export interface SegmentFilter {
  readonly agentId: AgentId
  readonly status: ReadonlyArray<SegmentStatus> | null
  readonly sinceMs: number | null
  readonly limit: number
  /** Id of the last segment of the page before. */
  readonly cursor: string | null
}

/** What agents hand in to be spoken on the air. Only their `Studio` and the scheduler write here. */
export class Segments extends Context.Service<Segments, {
  /** Saves it, or finds what the same command saved before. */
  readonly add: (segment: NewSegment) => Effect.Effect<{ readonly record: SegmentRecord; readonly repeated: boolean }>
  readonly find: (id: string) => Effect.Effect<SegmentRecord | null>
  readonly byCommand: (agentId: AgentId, commandKey: string) => Effect.Effect<SegmentRecord | null>
  readonly bySound: (assetId: string) => Effect.Effect<SegmentRecord | null>
  /** Newest first; `next` is the cursor of the following page. Null when the cursor is none of this agent's segments. */
  readonly list: (filter: SegmentFilter) => Effect.Effect<{ readonly records: ReadonlyArray<SegmentRecord>; readonly next: string | null } | null>
  /** Moves it if it still is in one of `from`; null when it isn't. */
  readonly move: (id: SegmentId, change: {
    readonly from: ReadonlyArray<SegmentStatus>
    readonly to: SegmentStatus
    readonly reason: string | null
    readonly atMs: number
  }) => Effect.Effect<SegmentRecord | null>
  /** What has begun to air can't be taken back; its copies can. Cut short after that, it doesn't come again. */
  readonly hide: (id: SegmentId, change: { readonly hidden: boolean; readonly reason: string | null; readonly atMs: number }) => Effect.Effect<SegmentRecord | null>
  readonly rendering: (id: SegmentId, atMs: number) => Effect.Effect<SegmentRecord | null>
  readonly sounded: (id: SegmentId, sound: SegmentSound, atMs: number) => Effect.Effect<SegmentRecord | null>
  readonly soundless: (id: SegmentId, audioStatus: "none" | "failed", reason: string, atMs: number) => Effect.Effect<void>
  /** Segments of an agent by state: what its limits are counted on. */
  readonly counts: (agentId: AgentId) => Effect.Effect<{ readonly pendingReview: number; readonly waiting: number; readonly aired: number }>
  readonly behindReview: (agentId: AgentId) => Effect.Effect<ReadonlyArray<SegmentRecord>>
  /** All that could still air: waiting for review, held, queued or scheduled. */
  readonly waiting: (agentId: AgentId) => Effect.Effect<ReadonlyArray<SegmentRecord>>
  readonly sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) => Effect.Effect<boolean>
  /** Queued without sound, also where a reading was begun and never ended: of plans, the next to begin first and last what there was no airtime for; of what nobody planned, the longest waiting first. */
  readonly unread: (of: "plans" | "queue", limit: number) => Effect.Effect<ReadonlyArray<{ readonly id: SegmentId; readonly agentId: AgentId }>>
  /** Past one of the dates after which nothing airs any more. */
  readonly overdue: (before: { readonly unreviewedMs: number; readonly queuedMs: number; readonly showBoundMs: number; readonly scheduledForMs: number }, limit: number) => Effect.Effect<ReadonlyArray<{ readonly id: SegmentId; readonly agentId: AgentId }>>
}>()("longwave/engine/store/Segments") {
  static readonly layer = Layer.effect(Segments, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const all = sql.literal(columns)
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const maybeAt = (ms: number | null) => ms === null ? sql`NULL` : at(ms)
    const one = <E>(rows: Effect.Effect<ReadonlyArray<SegmentRecord>, E>) => Effect.map(rows, (found) => found[0] === undefined ? null : fromRow(found[0]))
    const byCommand = (agentId: AgentId, commandKey: string) =>
      one(sql<SegmentRecord>`SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND command_key = ${commandKey}`)
    const find = (id: string) => one(sql<SegmentRecord>`SELECT ${all} FROM segments WHERE id = ${id}`)

    const add = Effect.fn("Segments.add")(function*(segment: NewSegment) {
      const made = yield* one(sql<SegmentRecord>`
        INSERT INTO segments (id, command_key, agent_id, handle, display_name, lane, agent_show_id, topic_ids, category, title, script_text, display_text, body_hash,
          status, status_reason, status_changed_at, is_first_air, flags, audio_status, asset_id, bed_asset_id, duration_sec, engine, voice_id, bed_status, bed_track_id,
          word_count, loudness_lufs, scheduled_for, plan_id, session_id, created_at, updated_at)
        VALUES (${segment.id}, ${segment.commandKey}, ${segment.agentId}, ${segment.handle}, ${segment.displayName}, ${segment.lane}, ${segment.agentShowId},
          ${JSON.stringify(segment.topicIds)}::text::jsonb, ${segment.category}, ${segment.title}, ${segment.scriptText}, ${segment.displayText}, ${segment.bodyHash},
          ${segment.status}, ${segment.statusReason}, ${at(segment.createdAtMs)}, ${segment.isFirstAir}, ${JSON.stringify(segment.flags)}::text::jsonb,
          ${segment.audioStatus}, ${segment.assetId}, ${segment.bedAssetId}, ${segment.durationSec}, ${segment.engine}, ${segment.voiceId}, ${segment.bedStatus},
          ${segment.bedTrackId}, ${segment.wordCount}, ${segment.loudnessLufs}, ${maybeAt(segment.scheduledForMs)}, ${segment.planId ?? null}, ${segment.sessionId ?? null}, ${at(segment.createdAtMs)}, ${at(segment.createdAtMs)})
        ON CONFLICT (agent_id, command_key) DO NOTHING RETURNING ${all}`)
      if (made !== null) return { record: made, repeated: false }
      const before = yield* byCommand(segment.agentId, segment.commandKey)
      return before === null ? yield* Effect.die(new Error(`segment ${segment.id} vanished while it was saved`)) : { record: before, repeated: true }
    }, Effect.orDie)

    const list = Effect.fn("Segments.list")(function*(filter: SegmentFilter) {
      const after = filter.cursor === null ? null : yield* find(filter.cursor)
      if (filter.cursor !== null && (after === null || after.agentId !== filter.agentId)) return null
      const rows = yield* sql<SegmentRecord>`
        SELECT ${all} FROM segments WHERE ${sql.and([
          sql`agent_id = ${filter.agentId}`,
          ...(filter.status === null ? [] : [sql`status IN ${sql.in(filter.status)}`]),
          ...(filter.sinceMs === null ? [] : [sql`created_at >= ${at(filter.sinceMs)}`]),
          ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
        ])} ORDER BY created_at DESC, id DESC LIMIT ${filter.limit + 1}`
      const records = rows.slice(0, filter.limit).map(fromRow)
      return { records, next: rows.length > filter.limit ? records[records.length - 1]!.id : null }
    }, Effect.orDie)

    return Segments.of({
      add,
      find: (id) => Effect.orDie(find(id)),
      byCommand: (agentId, key) => Effect.orDie(byCommand(agentId, key)),
      bySound: (assetId) => Effect.orDie(one(sql<SegmentRecord>`SELECT ${all} FROM segments WHERE asset_id = ${assetId} LIMIT 1`)),
      list,
      move: (id, change) => Effect.orDie(one(sql<SegmentRecord>`
        UPDATE segments SET status = ${change.to}, status_reason = ${change.reason}, status_changed_at = ${at(change.atMs)}, updated_at = ${at(change.atMs)},
          expected_air_at = NULL, item_id = NULL
        WHERE id = ${id} AND status IN ${sql.in(change.from)} RETURNING ${all}`)),
      hide: (id, { atMs, hidden, reason }) => Effect.orDie(one(sql<SegmentRecord>`
        UPDATE segments SET rerun_hold = ${hidden}, status_reason = ${reason}, cut_before = cut_before OR ${hidden}, updated_at = ${at(atMs)}
        WHERE id = ${id} AND status IN ('airing', 'aired') RETURNING ${all}`)),
      rendering: (id, atMs) => Effect.orDie(one(sql<SegmentRecord>`
        UPDATE segments SET audio_status = 'rendering', audio_tries = audio_tries + 1, updated_at = ${at(atMs)}
        WHERE id = ${id} AND status = 'queued' AND audio_status IN ('none', 'rendering') RETURNING ${all}`)),
      sounded: (id, sound, atMs) => Effect.orDie(one(sql<SegmentRecord>`
        UPDATE segments SET audio_status = 'ready', asset_id = ${sound.assetId}, bed_asset_id = ${sound.bedAssetId}, duration_sec = ${sound.durationSec},
          engine = ${sound.engine}, voice_id = ${sound.voiceId}, bed_status = ${sound.bedStatus}, bed_track_id = ${sound.bedTrackId},
          loudness_lufs = ${sound.loudnessLufs}, status_reason = CASE WHEN status_reason IN ('NO_AUDIO', 'NO_AIRTIME') THEN NULL ELSE status_reason END, updated_at = ${at(atMs)}
        WHERE id = ${id} AND audio_status <> 'ready' RETURNING ${all}`)),
      soundless: (id, audioStatus, reason, atMs) => Effect.orDie(Effect.asVoid(sql`
        UPDATE segments SET audio_status = ${audioStatus}, status_reason = ${reason}, updated_at = ${at(atMs)} WHERE id = ${id} AND audio_status <> 'ready'`)),
      counts: (agentId) => Effect.orDie(Effect.map(sql<{ pendingReview: number; waiting: number; aired: number }>`
        SELECT count(*) FILTER (WHERE status = 'pending_review')::int AS pending_review,
          count(*) FILTER (WHERE status IN ('queued', 'scheduled', 'held', 'pending_review') AND plan_id IS NULL)::int AS waiting,
          count(*) FILTER (WHERE status = 'aired')::int AS aired
        FROM segments WHERE agent_id = ${agentId} AND category <> 'panel_turn'`, (rows) => rows[0]!)),
      behindReview: (agentId) => Effect.orDie(Effect.map(sql<SegmentRecord>`
        SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND status = 'pending_review' ORDER BY created_at, id`, (rows) => rows.map(fromRow))),
      waiting: (agentId) => Effect.orDie(Effect.map(sql<SegmentRecord>`
        SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND status IN ('pending_review', 'held', 'queued', 'scheduled') ORDER BY created_at, id`, (rows) => rows.map(fromRow))),
      sameBodySince: (agentId, bodyHash, sinceMs) => Effect.orDie(Effect.map(sql`
        SELECT 1 FROM segments WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`, (rows) => rows.length > 0)),
      unread: (of, limit) => Effect.orDie(sql<{ id: SegmentId; agentId: AgentId }>`
        SELECT s.id, s.agent_id FROM segments s LEFT JOIN plans p ON p.id = s.plan_id
        WHERE s.status = 'queued' AND s.category <> 'panel_turn' AND s.plan_id IS ${sql.literal(of === "plans" ? "NOT NULL" : "NULL")} AND s.audio_status IN ('none', 'rendering')
        ORDER BY coalesce(p.id IS NOT NULL AND s.status_reason = 'NO_AIRTIME', false), p.occurrence_start, s.status_changed_at, s.id LIMIT ${limit}`),
      overdue: (before, limit) => Effect.orDie(sql<{ id: SegmentId; agentId: AgentId }>`
        SELECT id, agent_id FROM segments WHERE (status = 'pending_review' AND plan_id IS NULL AND status_changed_at <= ${at(before.unreviewedMs)})
          OR (status = 'queued' AND category <> 'panel_turn' AND (status_changed_at <= ${at(before.queuedMs)} OR (agent_show_id IS NOT NULL AND plan_id IS NULL AND status_changed_at <= ${at(before.showBoundMs)}) OR greatest(scheduled_for, status_changed_at) <= ${at(before.scheduledForMs)} AND scheduled_for IS NOT NULL))
        ORDER BY status_changed_at LIMIT ${limit}`)
    })
  }))
}
