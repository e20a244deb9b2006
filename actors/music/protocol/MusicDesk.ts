import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  AgentNotActive,
  AgentSuspended,
  AlreadyAdopted,
  AlreadyDesignated,
  Busy,
  ContentRejected,
  DuplicateContentHash,
  Forbidden,
  IdempotencyKeyConflict,
  InvalidField,
  InvalidFileType,
  MusicAgentGenerationDisabled,
  MusicGenerationNotAllowed,
  MusicQuotaExhausted,
  MusicRequestNotFound,
  NotFound,
  PreconditionFailed,
  PromptRejected,
  RateLimited,
  SongRequestAlreadyActive,
  SongRequestLimitReached,
  SubjectConflict,
  TrackNotFound,
  TrackTooShort,
  UploadStateConflict,
  VariantNotPreviewed
} from "../../../schema/Problems.ts"
import { JobId, MusicRequestId } from "../../../schema/Ids.ts"
import { Stateless, act, seen } from "../../runtime/protocol.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { AdoptionView } from "../../../schema/music/MusicSubmission.ts"
import { Asset } from "../../../schema/Sound.ts"
import {
  Designated,
  MusicAsked,
  MusicError,
  MusicPreview,
  MusicRequest,
  MusicRequestView,
  MusicVariant
} from "../../../schema/music/MusicRequest.ts"
import { LibraryDraft } from "../../../schema/music/TrackDraft.ts"
import { RemixDraft } from "../../../schema/music/Remix.ts"
import { Genre, Mood, RetiredTrack, Track, TrackEdit, TrackPatch, TrackView } from "../../../schema/music/Track.ts"
import { SongRequest } from "../../../schema/music/SongRequest.ts"
import { AgentTrackEngagement, AgentVote } from "../../../schema/music/TrackVote.ts"

const gone = [AgentNotActive, AgentSuspended] as const

/** A finished piece, and the sound that was made for it. */
export const Piece = Schema.Struct({
  asset: Asset,
  fingerprint: Schema.NullOr(Schema.Uint8ArrayFromBase64),
  title: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  isInstrumental: Schema.Boolean,
  lyrics: Schema.NullOr(Schema.String)
})
export type Piece = typeof Piece.Type

/** Refusals that generation, remixes and songs on samples share. */
export const notMade = [MusicGenerationNotAllowed, MusicAgentGenerationDisabled, MusicQuotaExhausted, ...gone] as const

/** One agent's music, keyed by agent: its requests and votes are counted one at a time. */
export const MusicDesk = Entity.make("MusicDesk", [
  /** At most one waiting request per agent. */
  Rpc.make("RequestTrack", {
    payload: { trackId: Schema.String, note: Schema.NullOr(Schema.String) },
    success: SongRequest,
    error: Schema.Union([TrackNotFound, ContentRejected, SongRequestAlreadyActive, SongRequestLimitReached, ...gone])
  }),
  /** Withdraws the song request that waits, cancels requests for music and gives adoptions back. A repeat changes nothing. */
  Rpc.make("WithdrawRequests", { payload: { reason: Schema.String }, success: Schema.Void }),
  /** An agent has one vote on a track. A repeat changes nothing. */
  Rpc.make("VoteOnTrack", {
    payload: { trackId: Schema.String, action: AgentVote },
    success: AgentTrackEngagement,
    error: Schema.Union([TrackNotFound, Forbidden, RateLimited, ...gone])
  }),
  /** Changes the description of a track. A flagged text sends an approved track back to review. */
  Rpc.make("ChangeTrack", {
    payload: { trackId: Schema.String, patch: TrackPatch },
    success: TrackView,
    error: Schema.Union([TrackNotFound, Forbidden, SubjectConflict, ContentRejected, ...gone])
  }),
  /** Takes a track out of rotation for good. A repeat changes nothing. */
  Rpc.make("RetireTrack", {
    payload: { trackId: Schema.String },
    success: RetiredTrack,
    error: Schema.Union([TrackNotFound, Forbidden, SubjectConflict])
  }),
  /** An operator's change. The station's own tracks are addressed by its slug. Refused when it changed since the version in `seen`. */
  Rpc.make("EditTrack", {
    payload: { trackId: Schema.String, patch: TrackEdit, ...act, ...seen },
    success: Track,
    error: Schema.Union([TrackNotFound, SubjectConflict, PreconditionFailed])
  }),
  /** Adds an operator's file (`key` in the object store) to the library. Addressed by the station's slug. */
  Rpc.make("AddTrack", {
    payload: { draft: LibraryDraft, key: Schema.String, fileName: Schema.String, ...act },
    success: Track,
    error: Schema.Union([InvalidField, InvalidFileType, TrackTooShort, Busy])
  }),
  /** Gives a track an operator's cover; null: the station draws it again. */
  Rpc.make("SetCover", {
    payload: { trackId: Schema.String, key: Schema.NullOr(Schema.String), ...act, ...seen },
    success: Track,
    error: Schema.Union([TrackNotFound, InvalidField, PreconditionFailed, Busy])
  }),
  /** Says how a prompt is understood. Makes and spends nothing. */
  Rpc.make("PreviewMusic", {
    payload: { asked: MusicAsked },
    success: MusicPreview,
    error: Schema.Union([InvalidField, PromptRejected])
  }),
  /** Takes an order for music: spends the quota and adds the job. */
  Rpc.make("GenerateMusic", {
    payload: { asked: MusicAsked },
    success: MusicRequestView,
    error: Schema.Union([InvalidField, PromptRejected, ...notMade])
  }),
  /** The same for a job that a key names for ever. */
  Rpc.make("CreateMusic", {
    payload: { asked: MusicAsked, commandKey: Schema.String },
    success: Schema.Struct({ jobId: JobId }),
    error: Schema.Union([InvalidField, PromptRejected, IdempotencyKeyConflict, RateLimited, ...notMade])
  }),
  /** What a remix would be. Makes and spends nothing. */
  Rpc.make("PreviewRemix", {
    payload: { sourceTrackId: Schema.String },
    success: RemixDraft,
    error: Schema.Union([TrackNotFound, Forbidden])
  }),
  /** Orders a remix of a track whose owner allows it. */
  Rpc.make("Remix", {
    payload: { sourceTrackId: Schema.String },
    success: MusicRequestView,
    error: Schema.Union([TrackNotFound, Forbidden, ...notMade])
  }),
  /** Orders a song on one of the agent's samples. */
  Rpc.make("SongOnSample", {
    payload: {
      uploadId: Schema.String,
      title: Schema.NullOr(Schema.String),
      genre: Schema.NullOr(Genre),
      mood: Schema.NullOr(Mood),
      durationSec: Schema.NullOr(Schema.Int)
    },
    success: MusicRequestView,
    error: Schema.Union([NotFound, UploadStateConflict, PromptRejected, ...notMade])
  }),
  /** The job begins, or begins again after its process died. Null when nothing is left to make. */
  Rpc.make("BeginMusic", { payload: { requestId: MusicRequestId }, success: Schema.NullOr(MusicRequest) }),
  /** Notes the name of the running work at the provider. */
  Rpc.make("NoteProviderTask", {
    payload: { requestId: MusicRequestId, task: Schema.NullOr(Schema.String) },
    success: Schema.Void
  }),
  /** Stores a finished piece; the last one completes the request. A repeat changes nothing. */
  Rpc.make("KeepPiece", {
    payload: { requestId: MusicRequestId, index: Schema.Int, piece: Piece },
    success: Schema.Void
  }),
  /** The request came to nothing: its quota is given back, once. */
  Rpc.make("EndMusic", {
    payload: {
      requestId: MusicRequestId,
      status: MusicRequest.fields.status.pick(["failed", "rejected", "cancelled"]),
      error: MusicError
    },
    success: Schema.Void
  }),
  /** Records that the agent asked for the sound of a piece. */
  Rpc.make("HearVariant", {
    payload: { requestId: Schema.String, variantId: Schema.String },
    success: MusicVariant,
    error: Schema.Union([MusicRequestNotFound, NotFound])
  }),
  /** Makes a track of a piece, in review. A repeat answers the first result. */
  Rpc.make("DesignateVariant", {
    payload: {
      requestId: Schema.String,
      variantId: Schema.String,
      title: Schema.NullOr(Schema.String),
      genre: Schema.NullOr(Genre)
    },
    success: Designated,
    error: Schema.Union([
      MusicRequestNotFound,
      NotFound,
      Forbidden,
      VariantNotPreviewed,
      AlreadyDesignated,
      DuplicateContentHash,
      SubjectConflict,
      ContentRejected,
      ...gone
    ])
  }),
  /** Adopts a listener's recording, which then waits for the operators. A repeat answers the same adoption. */
  Rpc.make("Adopt", {
    payload: { submissionId: Schema.String, pitch: Schema.NullOr(Schema.String) },
    success: AdoptionView,
    error: Schema.Union([NotFound, Forbidden, AlreadyAdopted, ContentRejected, ...gone])
  }),
  /** The station's own desk has the reviews of recordings that no agent adopted. */
  ...reviewing,
  /** Deletes a request that ended long ago, with the sounds that no track uses. */
  Rpc.make("ForgetMusic", { payload: { requestId: MusicRequestId }, success: Schema.Void })
]).annotate(Stateless, true)
