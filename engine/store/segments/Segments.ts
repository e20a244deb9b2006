import { Context, Effect, Layer, Schema, Struct } from "effect"
import { SqlClient } from "effect/sql"
import { AgentId, AssetId, PlanId, SegmentId, SessionId, TrackId } from "../../../schema/Ids.ts"
import {
  SegmentStatus,
  SegmentCategory,
  AudioStatus,
  ProductionEngine,
  BedStatus,
  Segment,
  PublicSegment
} from "../../../schema/segments/Segment.ts"
import { Flag } from "../../../schema/moderation/Precheck.ts"
import { Synthetic, mixedMark } from "../../../schema/Synthetic.ts"
import { mediaUrl } from "../sql/StationFacts.ts"
import { pageOf } from "../sql/page.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run } from "../sql/rows.ts"
import { iso } from "../../../schema/time/Instant.ts"

/** A segment as it lies in the store; instants are milliseconds. */
const SegmentRecord = Schema.Struct({
  id: SegmentId,
  commandKey: Schema.String,
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  lane: Schema.Literals(["script", "speech", "byok", "upload", "station"]),
  agentShowId: Schema.NullOr(Schema.String),
  topicIds: Schema.Array(Schema.String),
  category: SegmentCategory,
  title: Schema.String,
  scriptText: Schema.String,
  displayText: Schema.String,
  bodyHash: Schema.String,
  status: SegmentStatus,
  statusReason: Schema.NullOr(Schema.String),
  statusChangedAtMs: Schema.Finite,
  isFirstAir: Schema.Boolean,
  flags: Schema.Array(Flag),
  audioStatus: AudioStatus,
  audioTries: Schema.Int,
  assetId: Schema.NullOr(AssetId),
  bedAssetId: Schema.NullOr(AssetId),
  durationSec: Schema.NullOr(Schema.Finite),
  engine: Schema.NullOr(ProductionEngine),
  voiceId: Schema.NullOr(Schema.String),
  bedStatus: BedStatus,
  bedTrackId: Schema.NullOr(TrackId),
  wordCount: Schema.Int,
  loudnessLufs: Schema.NullOr(Schema.Finite),
  scheduledForMs: Schema.NullOr(Schema.Finite),
  expectedAirAtMs: Schema.NullOr(Schema.Finite),
  airedAtMs: Schema.NullOr(Schema.Finite),
  airedCompletely: Schema.NullOr(Schema.Boolean),
  cutBefore: Schema.Boolean,
  rerunHold: Schema.Boolean,
  /** The plan whose it is: it airs in that or not at all. */
  planId: Schema.NullOr(PlanId),
  /** The panel whose turn, or whose whole, it is. */
  sessionId: Schema.NullOr(SessionId),
  createdAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite,
  /** Those of its sound and of the bed under it; none without sound. */
  marks: Schema.Array(Synthetic)
})
export type SegmentRecord = typeof SegmentRecord.Type

/** Of statements that select `columns`. */
export const segments = rows(SegmentRecord)
const segment = row(SegmentRecord)
const owned = rows(Schema.Struct(Struct.pick(SegmentRecord.fields, ["id", "agentId"])))
const counted = row(Schema.Struct({ pendingReview: Schema.Int, waiting: Schema.Int, aired: Schema.Int }))

export const columns = `id, command_key, agent_id, handle, display_name, lane, agent_show_id, topic_ids, category, title, script_text, display_text, body_hash,
  status, status_reason, is_first_air, flags, audio_status, audio_tries, asset_id, bed_asset_id, duration_sec, engine, voice_id, bed_status, bed_track_id,
  word_count, loudness_lufs, aired_completely, cut_before, rerun_hold, plan_id, session_id,
  (SELECT coalesce(jsonb_agg(sound.synthetic ORDER BY sound.id = bed_asset_id), '[]') FROM assets sound WHERE sound.id IN (asset_id, bed_asset_id)) AS marks,
  ${msText("status_changed_at")} AS status_changed_at_ms,
  ${msText("scheduled_for")} AS scheduled_for_ms,
  ${msText("expected_air_at")} AS expected_air_at_ms,
  ${msText("aired_at")} AS aired_at_ms,
  ${msText("created_at")} AS created_at_ms,
  ${msText("updated_at")} AS updated_at_ms`

/** What the views need to know of the station. */
export interface StationFacts {
  readonly slug: string
  readonly publicUrl: string
}

const maybe = (ms: number | null): string | null => (ms === null ? null : iso(ms))

export const audioUrl = (assetId: AssetId | null, station: StationFacts): string | null =>
  assetId === null ? null : `${station.publicUrl}/media/audio/${assetId}.mp3`

/** For its own agent and for operators. */
export const ownerView = (record: SegmentRecord, station: StationFacts): Segment =>
  Segment.make({
    id: record.id,
    stationSlug: station.slug,
    agentId: record.agentId,
    handle: record.handle,
    agentShowId: record.agentShowId,
    topicIds: record.topicIds,
    category: record.category,
    title: record.title,
    scriptText: record.scriptText,
    displayText: record.displayText,
    status: record.status,
    statusReason: record.statusReason,
    statusChangedAt: iso(record.statusChangedAtMs),
    isFirstAir: record.isFirstAir,
    audioStatus: record.audioStatus,
    audioUrl: record.audioStatus === "ready" ? audioUrl(record.assetId, station) : null,
    durationSec: record.durationSec,
    scheduledFor: maybe(record.scheduledForMs),
    expectedAirAt: maybe(record.expectedAirAtMs),
    airedAt: maybe(record.airedAtMs),
    airedCompletely: record.airedCompletely,
    precheck: { flags: record.flags, autoApproved: record.flags.length === 0 },
    production: {
      engine: record.engine,
      voiceId: record.voiceId,
      bedStatus: record.bedStatus,
      bedTrackId: record.bedTrackId,
      wordCount: record.wordCount,
      loudnessLufs: record.loudnessLufs
    },
    synthetic: mixedMark(record.marks),
    heldUntilReview: record.status === "held" || record.status === "pending_review",
    createdAt: iso(record.createdAtMs),
    updatedAt: iso(record.updatedAtMs)
  })

/** For everybody, once it has aired: spoken copy only, and no sound of what was taken down. */
export const publicView = (
  record: SegmentRecord,
  avatarPath: string | null,
  show: PublicSegment["show"],
  station: StationFacts
): PublicSegment | null => {
  if (record.status !== "aired" || record.airedAtMs === null || record.rerunHold || record.displayText === "")
    return null
  // A turn is shown, and taken down, with its panel.
  if (record.category === "filler" || record.category === "hour_call" || record.category === "panel_turn") return null
  const url = audioUrl(record.assetId, station)
  return PublicSegment.make({
    id: record.id,
    title: record.title,
    category: record.category,
    displayText: record.displayText,
    owner: {
      handle: record.handle,
      displayName: record.displayName,
      avatarUrl: mediaUrl(avatarPath, station.publicUrl)
    },
    show,
    airedAt: iso(record.airedAtMs),
    durationSec: record.durationSec,
    synthetic: mixedMark(record.marks),
    ...(url === null ? {} : { audioUrl: url })
  })
}

/** What is written once, when a segment comes in; the rest begins empty. */
export type NewSegment = Omit<
  SegmentRecord,
  | "statusChangedAtMs"
  | "audioTries"
  | "expectedAirAtMs"
  | "airedAtMs"
  | "airedCompletely"
  | "cutBefore"
  | "rerunHold"
  | "updatedAtMs"
  | "marks"
  | "planId"
  | "sessionId"
> &
  Partial<Pick<SegmentRecord, "planId" | "sessionId">>
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
export class Segments extends Context.Service<Segments>()("longwave/engine/store/Segments", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const all = sql.literal(columns)
    const byCommand = (agentId: AgentId, commandKey: string) =>
      segment(sql`SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND command_key = ${commandKey}`)
    const find = (id: string) => segment(sql`SELECT ${all} FROM segments WHERE id = ${id}`)

    const add = Effect.fn("Segments.add")(function* (given: NewSegment) {
      const made = yield* segment(sql`
        INSERT INTO segments (id, command_key, agent_id, handle, display_name, lane, agent_show_id, topic_ids, category, title, script_text, display_text, body_hash,
          status, status_reason, status_changed_at, is_first_air, flags, audio_status, asset_id, bed_asset_id, duration_sec, engine, voice_id, bed_status, bed_track_id,
          word_count, loudness_lufs, scheduled_for, plan_id, session_id, created_at, updated_at)
        VALUES (${given.id}, ${given.commandKey}, ${given.agentId}, ${given.handle}, ${given.displayName}, ${given.lane}, ${given.agentShowId},
          ${JSON.stringify(given.topicIds)}::text::jsonb, ${given.category}, ${given.title}, ${given.scriptText}, ${given.displayText}, ${given.bodyHash},
          ${given.status}, ${given.statusReason}, ${at(given.createdAtMs)}, ${given.isFirstAir}, ${JSON.stringify(given.flags)}::text::jsonb,
          ${given.audioStatus}, ${given.assetId}, ${given.bedAssetId}, ${given.durationSec}, ${given.engine}, ${given.voiceId}, ${given.bedStatus},
          ${given.bedTrackId}, ${given.wordCount}, ${given.loudnessLufs}, ${at(given.scheduledForMs)}, ${given.planId ?? null}, ${given.sessionId ?? null}, ${at(given.createdAtMs)}, ${at(given.createdAtMs)})
        ON CONFLICT (agent_id, command_key) DO NOTHING RETURNING ${all}`)
      if (made !== null) return { record: made, repeated: false }
      const before = yield* byCommand(given.agentId, given.commandKey)
      return before === null
        ? yield* Effect.die(new Error(`segment ${given.id} vanished while it was saved`))
        : { record: before, repeated: true }
    })

    const list = Effect.fn("Segments.list")(function* (filter: SegmentFilter) {
      const after = filter.cursor === null ? null : yield* find(filter.cursor)
      if (filter.cursor !== null && (after === null || after.agentId !== filter.agentId)) return null
      const found = yield* segments(sql`
        SELECT ${all} FROM segments WHERE ${sql.and([
          sql`agent_id = ${filter.agentId}`,
          ...(filter.status === null ? [] : [sql`status IN ${sql.in(filter.status)}`]),
          ...(filter.sinceMs === null ? [] : [sql`created_at >= ${at(filter.sinceMs)}`]),
          ...(after === null ? [] : [sql`(created_at, id) < (${at(after.createdAtMs)}, ${after.id})`])
        ])} ORDER BY created_at DESC, id DESC LIMIT ${filter.limit + 1}`)
      return pageOf(found, filter.limit)
    })

    return {
      /** Saves it, or finds what the same command saved before. */
      add,
      find,
      byCommand,
      bySound: (assetId: string) => segment(sql`SELECT ${all} FROM segments WHERE asset_id = ${assetId} LIMIT 1`),
      /** Newest first; `next` is the cursor of the following page. Null when the cursor is none of this agent's segments. */
      list,
      /** Moves it if it still is in one of `from`; null when it isn't. */
      move: (
        id: SegmentId,
        change: {
          readonly from: ReadonlyArray<SegmentStatus>
          readonly to: SegmentStatus
          readonly reason: string | null
          readonly atMs: number
        }
      ) =>
        segment(sql`
        UPDATE segments SET status = ${change.to}, status_reason = ${change.reason}, status_changed_at = ${at(change.atMs)}, updated_at = ${at(change.atMs)},
          expected_air_at = NULL, item_id = NULL
        WHERE id = ${id} AND status IN ${sql.in(change.from)} RETURNING ${all}`),
      /** What has begun to air can't be taken back; its copies can. Cut short after that, it doesn't come again. */
      hide: (
        id: SegmentId,
        { atMs, hidden, reason }: { readonly hidden: boolean; readonly reason: string | null; readonly atMs: number }
      ) =>
        segment(sql`
        UPDATE segments SET rerun_hold = ${hidden}, status_reason = ${reason}, cut_before = cut_before OR ${hidden}, updated_at = ${at(atMs)}
        WHERE id = ${id} AND status IN ('airing', 'aired') RETURNING ${all}`),
      rendering: (id: SegmentId, atMs: number) =>
        segment(sql`
        UPDATE segments SET audio_status = 'rendering', audio_tries = audio_tries + 1, updated_at = ${at(atMs)}
        WHERE id = ${id} AND status = 'queued' AND audio_status IN ('none', 'rendering') RETURNING ${all}`),
      sounded: (id: SegmentId, sound: SegmentSound, atMs: number) =>
        segment(sql`
        UPDATE segments SET audio_status = 'ready', asset_id = ${sound.assetId}, bed_asset_id = ${sound.bedAssetId}, duration_sec = ${sound.durationSec},
          engine = ${sound.engine}, voice_id = ${sound.voiceId}, bed_status = ${sound.bedStatus}, bed_track_id = ${sound.bedTrackId},
          loudness_lufs = ${sound.loudnessLufs}, status_reason = CASE WHEN status_reason IN ('NO_AUDIO', 'NO_AIRTIME') THEN NULL ELSE status_reason END, updated_at = ${at(atMs)}
        WHERE id = ${id} AND audio_status <> 'ready' RETURNING ${all}`),
      soundless: (id: SegmentId, audioStatus: "none" | "failed", reason: string, atMs: number) =>
        run(sql`
        UPDATE segments SET audio_status = ${audioStatus}, status_reason = ${reason}, updated_at = ${at(atMs)} WHERE id = ${id} AND audio_status <> 'ready'`),
      /** Segments of an agent by state: what its limits are counted on. */
      counts: (agentId: AgentId) =>
        Effect.map(
          counted(sql`
        SELECT count(*) FILTER (WHERE status = 'pending_review')::int AS pending_review,
          count(*) FILTER (WHERE status IN ('queued', 'scheduled', 'held', 'pending_review') AND plan_id IS NULL)::int AS waiting,
          count(*) FILTER (WHERE status = 'aired')::int AS aired
        FROM segments WHERE agent_id = ${agentId} AND category <> 'panel_turn'`),
          (found) => found!
        ),
      behindReview: (agentId: AgentId) =>
        segments(sql`
        SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND status = 'pending_review' ORDER BY created_at, id`),
      /** All that could still air: waiting for review, held, queued or scheduled. */
      waiting: (agentId: AgentId) =>
        segments(sql`
        SELECT ${all} FROM segments WHERE agent_id = ${agentId} AND status IN ('pending_review', 'held', 'queued', 'scheduled') ORDER BY created_at, id`),
      sameBodySince: (agentId: AgentId, bodyHash: string, sinceMs: number) =>
        Effect.orDie(
          Effect.map(
            sql`
        SELECT 1 FROM segments WHERE agent_id = ${agentId} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`,
            (rows) => rows.length > 0
          )
        ),
      /** Past one of the dates after which nothing airs any more. */
      overdue: (
        before: {
          readonly unreviewedMs: number
          readonly queuedMs: number
          readonly showBoundMs: number
          readonly scheduledForMs: number
        },
        limit: number
      ) =>
        owned(sql`
        SELECT id, agent_id FROM segments WHERE (status = 'pending_review' AND plan_id IS NULL AND status_changed_at <= ${at(before.unreviewedMs)})
          OR (status = 'queued' AND category <> 'panel_turn' AND (status_changed_at <= ${at(before.queuedMs)} OR (agent_show_id IS NOT NULL AND plan_id IS NULL AND status_changed_at <= ${at(before.showBoundMs)}) OR greatest(scheduled_for, status_changed_at) <= ${at(before.scheduledForMs)} AND scheduled_for IS NOT NULL))
        ORDER BY status_changed_at LIMIT ${limit}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
