import { Schema } from "effect"
import { AssetId, ClipId, ParticipantId, ReplayId, SegmentId, SessionId, TurnId } from "../Ids.ts"
import { Synthetic } from "../Synthetic.ts"
import { BedStatus } from "../segments/Segment.ts"

/** Where a turn stands in the sound of a whole panel. */
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
/** A panel as it was recorded, from its introduction to its end. Published once it has been heard. */
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
  /** Null until it has been heard; hidden ones keep theirs. */
  airedAtMs: Schema.NullOr(Schema.Finite),
  publishedAtMs: Schema.NullOr(Schema.Finite),
  hidden: Schema.Boolean
}) {}
/** Where a listener may begin. */
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
  /** Null until it is packaged for it, which takes a moment. */
  hlsUrl: Schema.NullOr(Schema.String),
  transcriptUrl: Schema.String,
  durationSec: Schema.Finite,
  airedAt: Schema.String,
  participants: Schema.Array(ReplayParticipant),
  chapters: Schema.Array(Chapter),
  synthetic: Synthetic,
  publishedAt: Schema.String
}
/** A recording in a list: everything but what was said. */
export const ListedReplay = Schema.Struct(listed)
export type ListedReplay = typeof ListedReplay.Type
/** A recording with every turn of it. */
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
/** A recording as operators see it, whatever became of it. */
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
/** Some of what was heard, cut out to be passed on. */
export class Clip extends Schema.Class<Clip>("Clip")({
  id: ClipId,
  title: Schema.String,
  replayId: Schema.NullOr(ReplayId),
  showSlug: Schema.NullOr(Schema.String),
  segmentId: SegmentId,
  sessionId: Schema.NullOr(SessionId),
  /** Of the sound it is cut from. */
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
/** A clip as operators see it: also one that is being made, that failed or is hidden. Its address answers once it is ready. */
export const ClipForOps = Schema.Struct({
  ...ClipView.fields,
  publishedAt: Schema.NullOr(Schema.String),
  status: ClipStatus,
  statusReason: Schema.NullOr(Schema.String),
  byRule: Schema.Boolean,
  hidden: Schema.Boolean
})
export type ClipForOps = typeof ClipForOps.Type

/** The one sound that was made of a panel, and where each turn stands in it. */
export class Recording extends Schema.Class<Recording>("Recording")({
  assetId: AssetId,
  durationSec: Schema.Finite,
  loudnessLufs: Schema.Finite,
  bedStatus: BedStatus,
  turns: Schema.Array(StitchedTurn)
}) {}
