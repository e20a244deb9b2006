import { Schema } from "effect"
import type { AgentId, AssetId, SegmentId } from "../../schema/Ids.ts"
import { Flag } from "../../schema/Precheck.ts"
import { type AudioStatus, type BedStatus, type ProductionEngine, PublicSegment, Segment, type SegmentCategory, type SegmentStatus } from "../../schema/Segment.ts"
import { mixedMark, type Synthetic } from "../../schema/Synthetic.ts"
import { mediaUrl } from "./StationFacts.ts"

/** A segment as it lies in the store; instants are milliseconds. */
export interface SegmentRecord {
  readonly id: SegmentId
  readonly commandKey: string
  readonly agentId: AgentId
  readonly handle: string
  readonly displayName: string
  readonly lane: "script" | "speech" | "byok" | "upload" | "station"
  readonly agentShowId: string | null
  readonly topicIds: ReadonlyArray<string>
  readonly category: SegmentCategory
  readonly title: string
  readonly scriptText: string
  readonly displayText: string
  readonly bodyHash: string
  readonly status: SegmentStatus
  readonly statusReason: string | null
  readonly statusChangedAtMs: number
  readonly isFirstAir: boolean
  readonly flags: ReadonlyArray<Flag>
  readonly audioStatus: AudioStatus
  readonly audioTries: number
  readonly assetId: AssetId | null
  readonly bedAssetId: AssetId | null
  readonly durationSec: number | null
  readonly engine: ProductionEngine | null
  readonly voiceId: string | null
  readonly bedStatus: BedStatus
  readonly bedTrackId: string | null
  readonly wordCount: number
  readonly loudnessLufs: number | null
  readonly scheduledForMs: number | null
  readonly expectedAirAtMs: number | null
  readonly airedAtMs: number | null
  readonly airedCompletely: boolean | null
  readonly cutBefore: boolean
  readonly rerunHold: boolean
  /** The plan whose it is: it airs in that or not at all. */
  readonly planId: string | null
  /** The panel whose turn, or whose whole, it is. */
  readonly sessionId: string | null
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Those of its sound and of the bed under it; none without sound. */
  readonly marks: ReadonlyArray<Synthetic>
}

const decodeFlags = Schema.decodeUnknownSync(Schema.Array(Flag))

export const columns = `id, command_key, agent_id, handle, display_name, lane, agent_show_id, topic_ids, category, title, script_text, display_text, body_hash,
  status, status_reason, is_first_air, flags, audio_status, audio_tries, asset_id, bed_asset_id, duration_sec, engine, voice_id, bed_status, bed_track_id,
  word_count, loudness_lufs, aired_completely, cut_before, rerun_hold, plan_id, session_id,
  (SELECT coalesce(jsonb_agg(sound.synthetic ORDER BY sound.id = bed_asset_id), '[]') FROM assets sound WHERE sound.id IN (asset_id, bed_asset_id)) AS marks,
  round(extract(epoch from status_changed_at) * 1000)::float8 AS status_changed_at_ms,
  round(extract(epoch from scheduled_for) * 1000)::float8 AS scheduled_for_ms,
  round(extract(epoch from expected_air_at) * 1000)::float8 AS expected_air_at_ms,
  round(extract(epoch from aired_at) * 1000)::float8 AS aired_at_ms,
  round(extract(epoch from created_at) * 1000)::float8 AS created_at_ms,
  round(extract(epoch from updated_at) * 1000)::float8 AS updated_at_ms`

export const fromRow = (row: SegmentRecord): SegmentRecord => ({ ...row, flags: decodeFlags(row.flags) })

/** What the views need to know of the station. */
export interface StationFacts {
  readonly slug: string
  readonly publicUrl: string
}

const instant = (ms: number): string => new Date(ms).toISOString()
const maybe = (ms: number | null): string | null => ms === null ? null : instant(ms)

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
    statusChangedAt: instant(record.statusChangedAtMs),
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
    createdAt: instant(record.createdAtMs),
    updatedAt: instant(record.updatedAtMs)
  })

/** For everybody, once it has aired: spoken copy only, and no sound of what was taken down. */
export const publicView = (record: SegmentRecord, avatarPath: string | null, show: PublicSegment["show"], station: StationFacts): PublicSegment | null => {
  if (record.status !== "aired" || record.airedAtMs === null || record.rerunHold || record.displayText === "") return null
  // A turn is shown, and taken down, with its panel.
  if (record.category === "filler" || record.category === "hour_call" || record.category === "panel_turn") return null
  const url = audioUrl(record.assetId, station)
  return PublicSegment.make({
    id: record.id,
    title: record.title,
    category: record.category,
    displayText: record.displayText,
    owner: { handle: record.handle, displayName: record.displayName, avatarUrl: mediaUrl(avatarPath, station.publicUrl) },
    show,
    airedAt: instant(record.airedAtMs),
    durationSec: record.durationSec,
    synthetic: mixedMark(record.marks),
    ...(url === null ? {} : { audioUrl: url })
  })
}
