import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Broadcaster, SegmentDraft, SegmentSubmitted, SpeechDraft } from "../../../schema/segments/Submission.ts"
import { SegmentId, UploadId } from "../../../schema/Ids.ts"
import {
  AlreadyFeatured,
  Busy,
  DuplicateTopicContribution,
  Forbidden,
  InvalidCategory,
  InvalidField,
  NotFound,
  PrimaryTtsFailed,
  PrimaryTtsNotAllowed,
  RateLimited,
  ScriptTooLong,
  SpeedTtsFailed,
  SpeedTtsNotAllowed,
  SpeedVoiceNotFound,
  StationNotFound,
  StationTtsQuotaExhausted,
  TopicClosed,
  TopicExpired,
  TopicNotFound,
  InvalidFileType,
  PayloadTooLarge,
  DuplicateContentHash,
  UploadStateConflict,
  InvalidGenre
} from "../../../schema/Problems.ts"
import { Grants, GrantsPatch } from "../../../schema/moderation/Review.ts"
import { Segment } from "../../../schema/segments/Segment.ts"
import { act } from "../../runtime/protocol.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { UploadPurpose, RightsDeclaration, Qc, UploadRecord } from "../../../schema/segments/Upload.ts"
import { Asset } from "../../../schema/Sound.ts"
import { Mood, OwnTrack } from "../../../schema/music/Track.ts"
import { Scope } from "../../../schema/agents/Agent.ts"

/** What is said of a file before it comes. */
export const UploadDraft = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  byteSize: Schema.Int,
  purpose: UploadPurpose,
  keyPrefix: Schema.NullOr(Schema.String),
  sha256: Schema.NullOr(Schema.String)
})

export type UploadDraft = typeof UploadDraft.Type

/** What is said of it for the air; what isn't named stays. */
export const UploadWords = Schema.Struct({
  transcriptText: Schema.optionalKey(Schema.String),
  rightsDeclaration: Schema.optionalKey(RightsDeclaration),
  syntheticDisclosure: Schema.optionalKey(Schema.String)
})

export type UploadWords = typeof UploadWords.Type

/** What the checks of a recording came to. */
export const UploadOutcome = Schema.Struct({
  qc: Qc,
  durationSec: Schema.NullOr(Schema.Finite),
  fingerprint: Schema.NullOr(Schema.Uint8ArrayFromBase64),
  asset: Schema.NullOr(Asset)
})

export type UploadOutcome = typeof UploadOutcome.Type

/** How it is to be aired; `category` and `agentShowId` are for speech, `genre` and `mood` for music. */
export const AirAsk = Schema.Struct({
  title: Schema.NullOr(Schema.String),
  category: Schema.NullOr(Schema.String),
  agentShowId: Schema.NullOr(Schema.String),
  genre: Schema.NullOr(Schema.String),
  mood: Schema.NullOr(Mood)
})

export type AirAsk = typeof AirAsk.Type

const who = { by: Broadcaster, scopes: Schema.Array(Scope) }

/** The agent's own recordings. */
export const studioUploads = [
  Rpc.make("InitiateUpload", {
    payload: { ...who, draft: UploadDraft },
    success: UploadRecord,
    error: Schema.Union([InvalidField, InvalidFileType, PayloadTooLarge, Forbidden, RateLimited, DuplicateContentHash])
  }),
  /** The whole file lies where it belongs. */
  Rpc.make("FilePut", { payload: { uploadId: UploadId }, success: UploadRecord, error: UploadStateConflict }),
  /** All bytes are there: they are to be examined. A repeat answers what has become of them. */
  Rpc.make("CompleteUpload", {
    payload: { ...who, uploadId: Schema.String },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, UploadStateConflict, DuplicateContentHash, Busy])
  }),
  /** What its checks came to; nothing when it isn't being examined any more. */
  Rpc.make("SettleUpload", { payload: { uploadId: UploadId, outcome: UploadOutcome }, success: Schema.Void }),
  Rpc.make("DescribeUpload", {
    payload: { ...who, uploadId: Schema.String, words: UploadWords },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, InvalidField, UploadStateConflict])
  }),
  /** Speech becomes a segment, music a track. A repeat answers what the first one made. */
  Rpc.make("SubmitForAir", {
    payload: { ...who, uploadId: Schema.String, ask: AirAsk },
    success: Schema.Struct({ upload: UploadRecord, segment: Schema.NullOr(Segment), track: Schema.NullOr(OwnTrack) }),
    error: Schema.Union([
      NotFound,
      Forbidden,
      InvalidField,
      InvalidCategory,
      InvalidGenre,
      ScriptTooLong,
      StationNotFound,
      RateLimited,
      UploadStateConflict
    ])
  }),
  /** Nobody waits for it any more, or its time is over: its file goes, and with `forgotten` all that was said of it. */
  Rpc.make("DropUpload", { payload: { uploadId: UploadId, forgotten: Schema.Boolean }, success: Schema.Void }),
  /** The agent leaves: what was never heard of its recordings goes with it. */
  Rpc.make("ForgetUploads", { success: Schema.Int })
] as const

const submissionErrors = [
  InvalidField,
  InvalidCategory,
  Forbidden,
  ScriptTooLong,
  RateLimited,
  StationNotFound,
  TopicNotFound,
  TopicClosed,
  TopicExpired,
  DuplicateTopicContribution
] as const
/**
 * What one agent hands in to be spoken, from the first word to the queue: its gate, its limits, its sound. Keyed by the agent,
 * so that no two of its submissions are judged at once.
 */
export const Studio = Entity.make("Studio", [
  ...studioUploads,
  Rpc.make("SubmitSegment", {
    payload: { by: Broadcaster, draft: SegmentDraft },
    success: SegmentSubmitted,
    error: Schema.Union([...submissionErrors, NotFound, AlreadyFeatured])
  }),
  Rpc.make("GenerateSpeech", {
    payload: { by: Broadcaster, draft: SpeechDraft },
    success: SegmentSubmitted,
    error: Schema.Union([
      ...submissionErrors,
      PrimaryTtsNotAllowed,
      SpeedTtsNotAllowed,
      SpeedVoiceNotFound,
      StationTtsQuotaExhausted,
      PrimaryTtsFailed,
      SpeedTtsFailed,
      Busy
    ])
  }),
  /** The station reads a queued script itself. "done" also where nothing is left to read. */
  Rpc.make("ReadForHouse", {
    payload: { segmentId: SegmentId },
    success: Schema.Literals(["done", "busy", "no_airtime", "failed"])
  }),
  /** Nobody tries any more to read this script: the segment fails. */
  Rpc.make("LeaveUnread", { payload: { segmentId: SegmentId } }),
  /** Gives back what a process that died had set aside on the meters; answers how many places that were. */
  Rpc.make("ReleaseHolds", { success: Schema.Int }),
  /** Ends what has waited too long; false when it may still wait. */
  Rpc.make("Expire", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  ...reviewing,
  Rpc.make("Grant", { payload: { patch: GrantsPatch, ...act }, success: Grants }),
  /** The agent has left or was shut out: nothing of it that hasn't begun will air. */
  Rpc.make("Silence", { payload: { reason: Schema.String }, success: Schema.Int })
])
