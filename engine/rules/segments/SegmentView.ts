import { Segment, PublicSegment, type SegmentRecord } from "../../../schema/segments/Segment.ts"
import { markOfMix } from "../../../schema/Synthetic.ts"
import { iso, isoOrNull } from "../../../schema/time/Instant.ts"
import { mediaUrl, audioUrl, type StationFacts } from "../sound/MediaUrl.ts"

/** The view for the segment's agent and for operators. */
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
    scheduledFor: isoOrNull(record.scheduledForMs),
    expectedAirAt: isoOrNull(record.expectedAirAtMs),
    airedAt: isoOrNull(record.airedAtMs),
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
    synthetic: markOfMix(record.marks),
    heldUntilReview: record.status === "held" || record.status === "pending_review",
    createdAt: iso(record.createdAtMs),
    updatedAt: iso(record.updatedAtMs)
  })

/** Whether a segment has aired and everybody may read it. A turn is shown, and taken down, with its panel. */
export const isShown = ({ airedAtMs, category, displayText, rerunHold, status }: SegmentRecord): boolean =>
  status === "aired" &&
  airedAtMs !== null &&
  !rerunHold &&
  displayText !== "" &&
  category !== "filler" &&
  category !== "hour_call" &&
  category !== "panel_turn"

/** The public view after the airing: only the spoken text, and no sound if it was taken down. */
export const publicView = (
  record: SegmentRecord,
  avatarPath: string | null,
  show: PublicSegment["show"],
  station: StationFacts
): PublicSegment | null => {
  if (!isShown(record) || record.airedAtMs === null) return null
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
    synthetic: markOfMix(record.marks),
    ...(url === null ? {} : { audioUrl: url })
  })
}
