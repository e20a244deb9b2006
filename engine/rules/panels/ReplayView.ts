import type {
  Clip,
  ClipForOps,
  ClipView,
  ListedReplay,
  Replay,
  ReplayForOps,
  ReplayView
} from "../../../schema/panels/Replay.ts"
import type { AssetId } from "../../../schema/Ids.ts"
import type { Synthetic } from "../../../schema/Synthetic.ts"
import { chaptersOf } from "./Transcript.ts"
import { iso } from "../../../schema/time/Instant.ts"
const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms))

interface Recorded {
  readonly replay: Replay
  readonly assetId: AssetId
  readonly packaged: boolean
  readonly held: boolean
  readonly synthetic: Synthetic
}

export const transcriptUrl = (id: string, publicUrl: string): string => `${publicUrl}/api/replays/${id}/transcript.vtt`
export const chaptersUrl = (id: string, publicUrl: string): string => `${publicUrl}/api/replays/${id}/chapters.json`
export const soundUrl = (assetId: AssetId, publicUrl: string): string => `${publicUrl}/media/audio/${assetId}.mp3`

/** A replay in a list. Replays are published after they aired, so both times are set. */
export const listedReplayOf = ({ assetId, packaged, replay, synthetic }: Recorded, publicUrl: string): ListedReplay => {
  const { description, durationSec, id, participants, sessionId, showSlug, title, topic } = replay
  return {
    id,
    sessionId,
    showSlug,
    title,
    topic,
    description,
    audioUrl: soundUrl(assetId, publicUrl),
    hlsUrl: packaged ? `${publicUrl}/replays/${id}/index.m3u8` : null,
    transcriptUrl: transcriptUrl(id, publicUrl),
    durationSec,
    airedAt: iso(replay.airedAtMs!),
    participants,
    chapters: chaptersOf(replay),
    synthetic,
    publishedAt: iso(replay.publishedAtMs!)
  }
}

export const replayView = (record: Recorded, publicUrl: string): ReplayView => ({
  ...listedReplayOf(record, publicUrl),
  turns: record.replay.turns.map(({ durationSec, handle, scriptText, startSec, turnIndex }) => ({
    turnIndex,
    handle,
    scriptText,
    startSec,
    durationSec
  }))
})

export const replayForOps = ({
  held,
  packaged,
  replay: { airedAtMs, durationSec, hidden, id, publishedAtMs, segmentId, sessionId, showSlug, title }
}: Recorded): ReplayForOps => ({
  id,
  sessionId,
  segmentId,
  showSlug,
  title,
  durationSec,
  airedAt: isoOrNull(airedAtMs),
  publishedAt: isoOrNull(publishedAtMs),
  hidden,
  held,
  packaged
})

const replayFieldsOf = (
  {
    assetId,
    durationSec,
    id,
    participants,
    replayId,
    segmentId,
    sessionId,
    showSlug,
    startSec,
    title,
    transcript
  }: Clip,
  coverUrl: string | null,
  synthetic: Synthetic,
  publicUrl: string
) => ({
  id,
  title,
  showSlug,
  segmentId,
  sessionId,
  replayId,
  startSec,
  durationSec,
  audioUrl: soundUrl(assetId, publicUrl),
  transcript,
  coverUrl,
  participants,
  synthetic
})

export const clipView = (clip: Clip, coverUrl: string | null, synthetic: Synthetic, publicUrl: string): ClipView => ({
  ...replayFieldsOf(clip, coverUrl, synthetic, publicUrl),
  publishedAt: iso(clip.publishedAtMs!)
})

export const clipForOps = (
  clip: Clip,
  coverUrl: string | null,
  synthetic: Synthetic,
  publicUrl: string
): ClipForOps => ({
  ...replayFieldsOf(clip, coverUrl, synthetic, publicUrl),
  publishedAt: isoOrNull(clip.publishedAtMs),
  status: clip.status,
  statusReason: clip.statusReason,
  byRule: clip.byRule,
  hidden: clip.hidden
})
