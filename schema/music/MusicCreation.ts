import { Schema } from "effect"
import { AgentId, AssetId, JobId, MusicRequestId, TrackId } from "../Ids.ts"
import { MusicError } from "./MusicRequest.ts"

export const CreationStatus = Schema.Literals([
  "admitted",
  "queued",
  "generating",
  "rendering",
  "complete",
  "failed",
  "rejected"
])
export type CreationStatus = typeof CreationStatus.Type

/** What remains of a creation whose request was deleted after its retention. */
export const CreationEnd = Schema.Struct({
  status: CreationStatus,
  error: Schema.NullOr(MusicError),
  trackId: Schema.NullOr(TrackId),
  pieces: Schema.Int,
  updatedAtMs: Schema.Finite
})
export type CreationEnd = typeof CreationEnd.Type

/** A creation as it is stored. */
export const CreationRecord = Schema.Struct({
  jobId: JobId,
  requestId: MusicRequestId,
  agentId: AgentId,
  bodySha256: Schema.String,
  ended: Schema.NullOr(CreationEnd),
  createdAtMs: Schema.Finite
})
export type CreationRecord = typeof CreationRecord.Type

const CreationStep = Schema.Struct({
  step: Schema.String,
  state: Schema.Literals(["done", "running", "waiting", "failed"])
})
export type CreationStep = typeof CreationStep.Type

/** How far a creation is. */
export const CreationProgress = Schema.Struct({
  jobId: JobId,
  status: CreationStatus,
  progress: Schema.Finite,
  steps: Schema.Array(CreationStep),
  requestId: MusicRequestId,
  musicAssetId: Schema.NullOr(AssetId),
  audioUrl: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  error: Schema.NullOr(MusicError),
  disclaimer: Schema.String,
  updatedAt: Schema.String
})
export type CreationProgress = typeof CreationProgress.Type

/** The answer to an order. */
export const CreationAdmitted = Schema.Struct({
  jobId: JobId,
  status: Schema.Literal("admitted"),
  progressUrl: Schema.String
})
