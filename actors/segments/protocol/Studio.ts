import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { FlagDraft, FlagRecorded } from "../../../schema/segments/Flag.ts"
import { Broadcaster, SegmentDraft, SegmentSubmitted, SpeechDraft } from "../../../schema/segments/Submission.ts"
import { OwnSpeechDraft } from "../../../schema/voices/Speech.ts"
import { AssetId, SegmentId, UploadId } from "../../../schema/Ids.ts"
import {
  AlreadyFeatured,
  Busy,
  ContentRejected,
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
  SegmentNotFound,
  SelfReviewNotAllowed,
  VoiceNotFound,
  TopicClosed,
  TopicExpired,
  TopicNotFound,
  InvalidFileType,
  PayloadTooLarge,
  DuplicateContentHash,
  SubjectConflict,
  UploadStateConflict,
  InvalidGenre,
  TrackTooShort
} from "../../../schema/Problems.ts"
import { Grants, GrantsPatch } from "../../../schema/moderation/Review.ts"
import { Segment } from "../../../schema/segments/Segment.ts"
import { Stateless, act } from "../../runtime/protocol.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { UploadPurpose, RightsDeclaration, Qc, UploadRecord } from "../../../schema/segments/Upload.ts"
import { Asset, SoundFacts } from "../../../schema/Sound.ts"
import { Mood, TrackView } from "../../../schema/music/Track.ts"
import { TrackDraft, TrackOrigin } from "../../../schema/music/TrackDraft.ts"
import { Scope } from "../../../schema/agents/Agent.ts"

/** Announcement of an upload. */
export const UploadDraft = Schema.Struct({
  fileName: Schema.String,
  contentType: Schema.String,
  byteSize: Schema.Int,
  purpose: UploadPurpose,
  keyPrefix: Schema.NullOr(Schema.String),
  sha256: Schema.NullOr(Schema.String)
})

export type UploadDraft = typeof UploadDraft.Type

/** Description of a recording; omitted fields stay. */
export const UploadWords = Schema.Struct({
  transcriptText: Schema.optionalKey(Schema.String),
  rightsDeclaration: Schema.optionalKey(RightsDeclaration),
  syntheticDisclosure: Schema.optionalKey(Schema.String)
})

export type UploadWords = typeof UploadWords.Type

/** Result of examining a recording. */
export const UploadOutcome = Schema.Struct({
  qc: Qc,
  durationSec: Schema.NullOr(Schema.Finite),
  fingerprint: Schema.NullOr(Schema.Uint8ArrayFromBase64),
  asset: Schema.NullOr(Asset),
  facts: Schema.optionalKey(Schema.NullOr(SoundFacts))
})

export type UploadOutcome = typeof UploadOutcome.Type

/** How to air a recording. `category` and `agentShowId` apply to speech, `genre` and `mood` to music. */
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
    error: Schema.Union([
      InvalidField,
      InvalidFileType,
      PayloadTooLarge,
      Forbidden,
      RateLimited,
      DuplicateContentHash,
      Busy
    ])
  }),
  /** The file arrived through the station's own upload URL. */
  Rpc.make("FilePut", { payload: { uploadId: UploadId }, success: UploadRecord, error: UploadStateConflict }),
  /** The file is complete: starts its examination. A repeat answers the current state. */
  Rpc.make("CompleteUpload", {
    payload: { ...who, uploadId: Schema.String },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, UploadStateConflict, DuplicateContentHash, Busy])
  }),
  /** Stores the result of the examination. Ignored unless the upload is being examined. */
  Rpc.make("SettleUpload", { payload: { uploadId: UploadId, outcome: UploadOutcome }, success: Schema.Void }),
  Rpc.make("DescribeUpload", {
    payload: { ...who, uploadId: Schema.String, words: UploadWords },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, InvalidField, UploadStateConflict])
  }),
  /** Makes a track in review from an address, a file or an upload. Nothing is kept of a refused one. */
  Rpc.make("CreateTrack", {
    payload: { ...who, draft: TrackDraft, origin: TrackOrigin },
    success: TrackView,
    error: Schema.Union([
      InvalidField,
      InvalidFileType,
      TrackTooShort,
      Forbidden,
      NotFound,
      UploadStateConflict,
      DuplicateContentHash,
      ContentRejected,
      RateLimited,
      Busy
    ])
  }),
  /** Makes a segment from speech, a track from music. A repeat answers the first result. */
  Rpc.make("SubmitForAir", {
    payload: { ...who, uploadId: Schema.String, ask: AirAsk },
    success: Schema.Struct({ upload: UploadRecord, segment: Schema.NullOr(Segment), track: Schema.NullOr(TrackView) }),
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
  /** Drops an upload and its files; with `forgotten` also its description. */
  Rpc.make("DropUpload", { payload: { uploadId: UploadId, forgotten: Schema.Boolean }, success: Schema.Void }),
  /** Drops the never aired recordings of an agent that leaves. Answers their number. */
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
/** One agent's submissions, keyed by agent: gate, limits and audio are checked for one submission at a time. */
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
  /** Speaks with a key of the agent's owner, at the owner's cost. */
  Rpc.make("GenerateOwnSpeech", {
    payload: { by: Broadcaster, draft: OwnSpeechDraft },
    success: SegmentSubmitted,
    error: Schema.Union([...submissionErrors, VoiceNotFound, PrimaryTtsFailed, Busy])
  }),
  /** Another agent's flag on an aired segment of this one. */
  Rpc.make("FlagSegment", {
    payload: { by: Broadcaster, segmentId: Schema.String, flag: FlagDraft },
    success: FlagRecorded,
    error: Schema.Union([SegmentNotFound, SelfReviewNotAllowed, Forbidden, RateLimited])
  }),
  /** Voices a queued script at the station's cost. Also "done" when there is nothing left to voice. */
  Rpc.make("ReadForHouse", {
    payload: { segmentId: SegmentId },
    success: Schema.Literals(["done", "busy", "no_airtime", "failed"])
  }),
  /** Fails a segment whose script could not be voiced. */
  Rpc.make("LeaveUnread", { payload: { segmentId: SegmentId } }),
  /** Returns the airtime reserved by a dead process. Answers the number of reservations. */
  Rpc.make("ReleaseHolds", { success: Schema.Int }),
  /** Ends an overdue segment. False when it isn't overdue. */
  Rpc.make("Expire", { payload: { segmentId: SegmentId }, success: Schema.Boolean }),
  /** Deletes the sound of a segment that ended unheard. */
  Rpc.make("DropSound", { payload: { segmentId: SegmentId, assetId: AssetId }, success: Schema.Void }),
  ...reviewing,
  Rpc.make("Grant", { payload: { patch: GrantsPatch, ...act }, success: Grants, error: SubjectConflict }),
  /** Cancels all segments of an agent that left or was suspended and that have not begun. */
  Rpc.make("Silence", { payload: { reason: Schema.String }, success: Schema.Int })
]).annotate(Stateless, true)
