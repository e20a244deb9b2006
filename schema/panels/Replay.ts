import { Schema } from "effect"
import { AssetId, ClipId, ParticipantId, ReplayId, SegmentId, SessionId, TurnId } from "../Ids.ts"
import { Synthetic } from "../Synthetic.ts"
import { BedStatus } from "../segments/Segment.ts"

/** Position of a turn in the sound of the whole panel. */
export const StitchedTurn = Schema.Struct({
  turnId: TurnId,
  turnIndex: Schema.Int,
  participantId: ParticipantId,
  handle: Schema.String,
  scriptText: Schema.String,
  startSec: Schema.Finite,
  durationSec: Schema.Finite
})
export type StitchedTurn = typeof StitchedTurn.Type
export const ReplayParticipant = Schema.Struct({
  handle: Schema.String,
  displayName: Schema.String,
  role: Schema.Literals(["host", "guest"])
})
export type ReplayParticipant = typeof ReplayParticipant.Type
/** A recorded panel, from introduction to end. Published after it has aired. */
export class Replay extends Schema.Class<Replay>("Replay")({
  id: ReplayId,
  sessionId: SessionId,
  segmentId: SegmentId,
  showSlug: Schema.String,
  title: Schema.String,
  topic: Schema.String,
  description: Schema.NullOr(Schema.String),
  durationSec: Schema.Finite,
  participants: Schema.Array(ReplayParticipant),
  turns: Schema.Array(StitchedTurn),
  /** Null until it has aired; kept when it is hidden. */
  airedAtMs: Schema.NullOr(Schema.Finite),
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean
}) {}
/** Chapters at which a listener may begin. */
export const Chapter = Schema.Struct({ title: Schema.String, startSec: Schema.Finite, durationSec: Schema.Finite })
export type Chapter = typeof Chapter.Type
const listed = {
  id: ReplayId,
  sessionId: SessionId,
  showSlug: Schema.String,
  title: Schema.String,
  topic: Schema.String,
  description: Schema.NullOr(Schema.String),
  audioUrl: Schema.String,
  /** Null until it is packaged for HLS, usually for a few seconds. */
  hlsUrl: Schema.NullOr(Schema.String),
  transcriptUrl: Schema.String,
  durationSec: Schema.Finite,
  airedAt: Schema.String,
  participants: Schema.Array(ReplayParticipant),
  chapters: Schema.Array(Chapter),
  synthetic: Synthetic,
  publishedAt: Schema.String
}
/** A recording in a list, without its transcript. */
export const ListedReplay = Schema.Struct(listed)
export type ListedReplay = typeof ListedReplay.Type
/** A recording with every turn. */
export const ReplayView = Schema.Struct({
  ...listed,
  turns: Schema.Array(
    Schema.Struct({
      turnIndex: Schema.Int,
      handle: Schema.String,
      scriptText: Schema.String,
      startSec: Schema.Finite,
      durationSec: Schema.Finite
    })
  )
})
export type ReplayView = typeof ReplayView.Type
/** A recording as operators see it, in any state. */
export const ReplayForOps = Schema.Struct({
  id: ReplayId,
  sessionId: SessionId,
  segmentId: SegmentId,
  showSlug: Schema.String,
  title: Schema.String,
  durationSec: Schema.Finite,
  airedAt: Schema.NullOr(Schema.String),
  publishedAt: Schema.NullOr(Schema.String),
  hidden: Schema.Boolean,
  held: Schema.Boolean,
  packaged: Schema.Boolean
})
export type ReplayForOps = typeof ReplayForOps.Type
export const ClipStatus = Schema.Literals(["making", "ready", "failed"])
export type ClipStatus = typeof ClipStatus.Type
/** An excerpt of a broadcast, for sharing. */
export class Clip extends Schema.Class<Clip>("Clip")({
  id: ClipId,
  title: Schema.String,
  replayId: Schema.NullOr(ReplayId),
  showSlug: Schema.NullOr(Schema.String),
  segmentId: SegmentId,
  sessionId: Schema.NullOr(SessionId),
  /** Position in its source recording. */
  sourceAssetId: AssetId,
  assetId: AssetId,
  startSec: Schema.Finite,
  durationSec: Schema.Finite,
  transcript: Schema.String,
  participants: Schema.Array(Schema.Struct({ handle: Schema.String, displayName: Schema.String })),
  byRule: Schema.Boolean,
  status: ClipStatus,
  statusReason: Schema.NullOr(Schema.String),
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean,
  createdAtMs: Schema.Finite
}) {}
export const ClipView = Schema.Struct({
  id: ClipId,
  title: Schema.String,
  showSlug: Schema.NullOr(Schema.String),
  segmentId: SegmentId,
  sessionId: Schema.NullOr(SessionId),
  replayId: Schema.NullOr(ReplayId),
  startSec: Schema.Finite,
  durationSec: Schema.Finite,
  audioUrl: Schema.String,
  transcript: Schema.String,
  coverUrl: Schema.NullOr(Schema.String),
  participants: Schema.Array(Schema.Struct({ handle: Schema.String, displayName: Schema.String })),
  synthetic: Synthetic,
  publishedAt: Schema.String
})
export type ClipView = typeof ClipView.Type
/** A clip as operators see it, including unfinished, failed and hidden ones. Its address works once it is ready. */
export const ClipForOps = Schema.Struct({
  ...ClipView.fields,
  publishedAt: Schema.NullOr(Schema.String),
  status: ClipStatus,
  statusReason: Schema.NullOr(Schema.String),
  byRule: Schema.Boolean,
  hidden: Schema.Boolean
})
export type ClipForOps = typeof ClipForOps.Type

/** The sound of a whole panel, and the position of each turn in it. */
export class Recording extends Schema.Class<Recording>("Recording")({
  assetId: AssetId,
  durationSec: Schema.Finite,
  loudnessLufs: Schema.Finite,
  bedStatus: BedStatus,
  turns: Schema.Array(StitchedTurn)
}) {}
