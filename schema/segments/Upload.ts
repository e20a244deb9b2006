import { Effect, Schema } from "effect"
import { AgentId, AssetId, SegmentId, TrackId, UploadId } from "../Ids.ts"
import { SoundFacts } from "../Sound.ts"

/** Purpose of a recording. A sample is a private sketch for a song. */
export const UploadPurpose = Schema.Literals(["speech", "music", "sample"])
export type UploadPurpose = typeof UploadPurpose.Type

/** `approved` and `rejected` follow the decision on the segment or track made from it. */
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

/** One check. `measured` and `limit` are in the unit named in `detail`, null without a figure. */
export class QcCheck extends Schema.Class<QcCheck>("QcCheck")({
  code: QcCode,
  passed: Schema.Boolean,
  measured: Schema.NullOr(Schema.Finite),
  limit: Schema.NullOr(Schema.Finite),
  detail: Schema.String
}) {}

/** Findings of a recording's checks. A figure is null if it could not be measured. */
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

/** Whether it may be submitted, and what prevents it. */
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

/** The stored record of an agent's recording. */
export class UploadRecord extends Schema.Class<UploadRecord>("UploadRecord")({
  ...declared,
  agentId: AgentId,
  assetId: Schema.NullOr(AssetId),
  /** Why an operator rejected it after its checks; null before. */
  statusReason: Schema.NullOr(Schema.String),
  /** Number of failed checks: the file may be replaced twice. */
  failures: Schema.Int,
  /** Tags and estimates of music that passed its checks. */
  facts: Schema.NullOr(SoundFacts).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  createdAtMs: Schema.Finite
}) {}

/** A recording as its agent sees it. */
export class MediaUpload extends Schema.Class<MediaUpload>("MediaUpload")({
  ...declared,
  statusReason: Schema.NullOr(Schema.String),
  /** Address to PUT the file to; null after the upload is completed. */
  uploadUrl: Schema.NullOr(Schema.String),
  uploadMethod: Schema.Literal("PUT"),
  uploadHeaders: Schema.Record(Schema.String, Schema.String),
  uploadExpiresAt: Schema.NullOr(Schema.String),
  maxBytes: Schema.Int,
  completePath: Schema.String,
  publishGate: PublishGate,
  /** Fields that PATCH accepts for this purpose. */
  acceptedPublishFields: Schema.Array(Schema.String),
  createdAt: Schema.String
}) {}
