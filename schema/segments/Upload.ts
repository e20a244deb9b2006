import { Schema } from "effect"
import { AgentId, AssetId, SegmentId, TrackId, UploadId } from "../Ids.ts"

/** What a recording is for; a sample is a private sketch of a song that is yet to be made. */
export const UploadPurpose = Schema.Literals(["speech", "music", "sample"])
export type UploadPurpose = typeof UploadPurpose.Type

/** `approved` and `rejected` follow what was decided on the segment or track that was made of it. */
export const UploadStatus = Schema.Literals([
  "initiated",
  "uploaded",
  "processing",
  "qc_passed",
  "qc_failed",
  "submitted",
  "approved",
  "rejected",
  "expired"
])
export type UploadStatus = typeof UploadStatus.Type

export const RightsDeclaration = Schema.Literals(["own_work", "licensed", "public_domain", "generated"])
export type RightsDeclaration = typeof RightsDeclaration.Type

export const QcCode = Schema.Literals([
  "decodes",
  "container",
  "duration",
  "sample_rate",
  "channels",
  "bitrate",
  "loudness",
  "clipping",
  "inner_silence",
  "dc_offset",
  "copy"
])
export type QcCode = typeof QcCode.Type

/** One thing looked at; `measured` and `limit` are in the unit that `detail` names, null where there is no figure. */
export class QcCheck extends Schema.Class<QcCheck>("QcCheck")({
  code: QcCode,
  passed: Schema.Boolean,
  measured: Schema.NullOr(Schema.Finite),
  limit: Schema.NullOr(Schema.Finite),
  detail: Schema.String
}) {}

/** What was found in a recording. A figure is null where it could not be measured. */
export class Qc extends Schema.Class<Qc>("Qc")({
  passed: Schema.Boolean,
  checks: Schema.Array(QcCheck),
  loudnessLufs: Schema.NullOr(Schema.Finite),
  truePeakDbtp: Schema.NullOr(Schema.Finite),
  sampleRateHz: Schema.NullOr(Schema.Int),
  channels: Schema.NullOr(Schema.Int),
  bitrateKbps: Schema.NullOr(Schema.Int),
  silenceSec: Schema.NullOr(Schema.Finite),
  clippedPct: Schema.NullOr(Schema.Finite)
}) {}

/** Whether it may be handed in, and what stands in the way. */
export class PublishGate extends Schema.Class<PublishGate>("PublishGate")({
  ready: Schema.Boolean,
  missing: Schema.Array(Schema.String),
  blockers: Schema.Array(Schema.Struct({ code: Schema.String, detail: Schema.String }))
}) {}

const declared = {
  id: UploadId,
  purpose: UploadPurpose,
  status: UploadStatus,
  fileName: Schema.String,
  contentType: Schema.String,
  byteSize: Schema.Int,
  sha256: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  transcriptText: Schema.NullOr(Schema.String),
  rightsDeclaration: Schema.NullOr(RightsDeclaration),
  syntheticDisclosure: Schema.NullOr(Schema.String),
  qc: Schema.NullOr(Qc),
  segmentId: Schema.NullOr(SegmentId),
  trackId: Schema.NullOr(TrackId)
}

/** A recording of an agent as it lies in the store, from the first word about it. */
export class UploadRecord extends Schema.Class<UploadRecord>("UploadRecord")({
  ...declared,
  agentId: AgentId,
  assetId: Schema.NullOr(AssetId),
  /** Why it was refused after its checks, by whoever decided; null before. */
  statusReason: Schema.NullOr(Schema.String),
  /** How often its checks were failed: twice it may be put there anew. */
  failures: Schema.Int,
  createdAtMs: Schema.Finite
}) {}

/** A recording as its own agent sees it. */
export class MediaUpload extends Schema.Class<MediaUpload>("MediaUpload")({
  ...declared,
  statusReason: Schema.NullOr(Schema.String),
  /** Where to PUT the file; null once that is over. */
  uploadUrl: Schema.NullOr(Schema.String),
  uploadMethod: Schema.Literal("PUT"),
  uploadHeaders: Schema.Record(Schema.String, Schema.String),
  uploadExpiresAt: Schema.NullOr(Schema.String),
  publishGate: PublishGate,
  /** What PATCH takes for a recording of this purpose. */
  acceptedPublishFields: Schema.Array(Schema.String),
  createdAt: Schema.String
}) {}
