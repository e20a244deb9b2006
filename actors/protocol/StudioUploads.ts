import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { Scope } from "../../schema/Agent.ts"
import { Broadcaster } from "../../schema/Broadcast.ts"
import { UploadId } from "../../schema/Ids.ts"
import { Qc, RightsDeclaration, UploadPurpose, UploadRecord } from "../../schema/MediaUpload.ts"
import {
  Busy, DuplicateContentHash, Forbidden, InvalidCategory, InvalidField, InvalidFileType, InvalidGenre, NotFound, PayloadTooLarge, RateLimited, ScriptTooLong, StationNotFound, UploadStateConflict
} from "../../schema/Problems.ts"
import { Segment } from "../../schema/Segment.ts"
import { Asset } from "../../schema/Sound.ts"
import { Mood, OwnTrack } from "../../schema/Track.ts"

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
const dryRun = Schema.Boolean

/** The agent's own recordings. */
export const studioUploads = [
  Rpc.make("InitiateUpload", {
    payload: { ...who, draft: UploadDraft, dryRun },
    success: UploadRecord,
    error: Schema.Union([InvalidField, InvalidFileType, PayloadTooLarge, Forbidden, RateLimited, DuplicateContentHash])
  }),
  /** The whole file lies where it belongs. */
  Rpc.make("FilePut", { payload: { uploadId: UploadId }, success: UploadRecord, error: UploadStateConflict }),
  /** All bytes are there: they are to be examined. A repeat answers what has become of them. */
  Rpc.make("CompleteUpload", {
    payload: { ...who, uploadId: Schema.String, dryRun },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, UploadStateConflict, DuplicateContentHash, Busy])
  }),
  /** What its checks came to; nothing when it isn't being examined any more. */
  Rpc.make("SettleUpload", { payload: { uploadId: UploadId, outcome: UploadOutcome }, success: Schema.Void }),
  Rpc.make("DescribeUpload", {
    payload: { ...who, uploadId: Schema.String, words: UploadWords, dryRun },
    success: UploadRecord,
    error: Schema.Union([NotFound, Forbidden, InvalidField, UploadStateConflict])
  }),
  /** Speech becomes a segment, music a track. A repeat answers what the first one made. */
  Rpc.make("SubmitForAir", {
    payload: { ...who, uploadId: Schema.String, ask: AirAsk, dryRun },
    success: Schema.Struct({ upload: UploadRecord, segment: Schema.NullOr(Segment), track: Schema.NullOr(OwnTrack) }),
    error: Schema.Union([NotFound, Forbidden, InvalidField, InvalidCategory, InvalidGenre, ScriptTooLong, StationNotFound, RateLimited, UploadStateConflict])
  }),
  /** Nobody waits for it any more, or its time is over: its file goes, and with `forgotten` all that was said of it. */
  Rpc.make("DropUpload", { payload: { uploadId: UploadId, forgotten: Schema.Boolean }, success: Schema.Void }),
  /** The agent leaves: what was never heard of its recordings goes with it. */
  Rpc.make("ForgetUploads", { success: Schema.Int })
] as const
