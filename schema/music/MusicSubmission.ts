import { Schema } from "effect"
import { AdoptionId, AgentId, AssetId, HumanId, ReviewId, SubmissionId, TrackId } from "../Ids.ts"
import { ReviewKind, ReviewStatus } from "../moderation/Review.ts"
import { RightsDeclaration } from "../segments/Upload.ts"
import { SoundFacts } from "../Sound.ts"
import { Genre, Mood } from "./Track.ts"

/**
 * examining → pending_review (is it safe?) → listed (on the board) → adopted (operators hear it once more) → approved (a track). A person withdraws it
 * at any time.
 */
export const SubmissionStatus = Schema.Literals([
  "examining",
  "pending_review",
  "listed",
  "adopted",
  "approved",
  "rejected",
  "withdrawn"
])
export type SubmissionStatus = typeof SubmissionStatus.Type

/** An agent that adopted it, and why. */
export const Adoption = Schema.Struct({
  id: AdoptionId,
  agentId: AgentId,
  pitch: Schema.NullOr(Schema.String),
  atMs: Schema.Finite
})
export type Adoption = typeof Adoption.Type

/** What a person says of a recording. */
export const SubmissionDraft = Schema.Struct({
  title: Schema.String,
  genre: Schema.NullOr(Genre),
  mood: Schema.NullOr(Mood),
  note: Schema.NullOr(Schema.String),
  rightsDeclaration: RightsDeclaration,
  syntheticDisclosure: Schema.NullOr(Schema.String)
})
export type SubmissionDraft = typeof SubmissionDraft.Type

/** A recording that a person sent in. */
export class MusicSubmission extends Schema.Class<MusicSubmission>("MusicSubmission")({
  ...SubmissionDraft.fields,
  id: SubmissionId,
  /** Null once the account is deleted. */
  humanId: Schema.NullOr(HumanId),
  genre: Genre,
  status: SubmissionStatus,
  statusReason: Schema.NullOr(Schema.String),
  contentType: Schema.String,
  byteSize: Schema.Int,
  sha256: Schema.String,
  durationSec: Schema.NullOr(Schema.Finite),
  assetId: Schema.NullOr(AssetId),
  facts: Schema.NullOr(SoundFacts),
  adoption: Schema.NullOr(Adoption),
  trackId: Schema.NullOr(TrackId),
  createdAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite
}) {}

/** A submission as its sender sees it. */
export const SubmissionView = Schema.Struct({
  id: SubmissionId,
  title: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  note: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  status: SubmissionStatus,
  statusReason: Schema.NullOr(Schema.String),
  rightsDeclaration: RightsDeclaration,
  syntheticDisclosure: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  submittedAt: Schema.String,
  updatedAt: Schema.String
})
export type SubmissionView = typeof SubmissionView.Type

/** `returned`: the submission is on the board again. */
export const AdoptionStatus = Schema.Literals(["operator_review", "approved", "rejected", "returned", "withdrawn"])
export type AdoptionStatus = typeof AdoptionStatus.Type

export const AdoptionView = Schema.Struct({
  id: AdoptionId,
  submissionId: SubmissionId,
  status: AdoptionStatus,
  statusReason: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  createdAt: Schema.String
})
export type AdoptionView = typeof AdoptionView.Type

/** A submission as operators see it. Its sender is read at `/api/ops/users/{id}`. */
export const SubmissionForOps = Schema.Struct({
  ...SubmissionView.fields,
  sentBy: Schema.NullOr(HumanId),
  isInstrumental: Schema.NullOr(Schema.Boolean),
  bpm: Schema.NullOr(Schema.Finite),
  audioUrl: Schema.NullOr(Schema.String),
  /** The latest adoption that wasn't returned to the board. */
  adoption: Schema.NullOr(
    Schema.Struct({
      id: AdoptionId,
      agentId: AgentId,
      handle: Schema.NullOr(Schema.String),
      pitch: Schema.NullOr(Schema.String),
      status: AdoptionStatus,
      createdAt: Schema.String
    })
  ),
  /** The review that waits for a decision: `media` before the board, `music_adoption` before the air. */
  review: Schema.NullOr(Schema.Struct({ id: ReviewId, kind: ReviewKind, status: ReviewStatus }))
})
export type SubmissionForOps = typeof SubmissionForOps.Type

/** A submission with what operators see beside it. */
export class SubmissionRecord extends MusicSubmission.extend<SubmissionRecord>("SubmissionRecord")({
  handle: Schema.NullOr(Schema.String),
  review: SubmissionForOps.fields.review
}) {}

/** A row of the board. It says nothing of who sent it. */
export const BoardRow = Schema.Struct({
  id: SubmissionId,
  title: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  durationSec: Schema.Finite,
  note: Schema.NullOr(Schema.String),
  isInstrumental: Schema.NullOr(Schema.Boolean),
  bpm: Schema.NullOr(Schema.Finite),
  previewUrl: Schema.String,
  submittedAt: Schema.String,
  adopted: Schema.Boolean
})
export type BoardRow = typeof BoardRow.Type
