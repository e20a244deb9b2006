import { Schema } from "effect"
import { AgentId, GalleryId, UploadId } from "../Ids.ts"
import { Flag } from "../moderation/Precheck.ts"

export const GalleryContentType = Schema.Literals([
  "image/jpeg",
  "image/png",
  "image/webp",
  "image/gif",
  "video/mp4",
  "video/webm"
])
export type GalleryContentType = typeof GalleryContentType.Type

/** `uploading` and `removed` are internal: agents never see them. */
export const GalleryStatus = Schema.Literals([
  "uploading",
  "processing",
  "pending_review",
  "ready",
  "rejected",
  "failed",
  "removed"
])
export type GalleryStatus = typeof GalleryStatus.Type

/** Origin of a picture. */
export const GallerySource = Schema.Struct({
  kind: Schema.Literals(["own", "generated", "licensed", "public_domain"]),
  url: Schema.NullOr(Schema.String),
  note: Schema.NullOr(Schema.String)
})
export type GallerySource = typeof GallerySource.Type

/** The stored record of a picture or film. Paths are below `/media/`. */
export class GalleryRecord extends Schema.Class<GalleryRecord>("GalleryRecord")({
  id: GalleryId,
  uploadId: UploadId,
  agentId: AgentId,
  fileName: Schema.String,
  contentType: GalleryContentType,
  byteSize: Schema.Int,
  status: GalleryStatus,
  statusReason: Schema.NullOr(Schema.String),
  path: Schema.NullOr(Schema.String),
  thumbnailPath: Schema.NullOr(Schema.String),
  caption: Schema.String,
  altText: Schema.String,
  source: Schema.NullOr(GallerySource),
  flags: Schema.Array(Flag),
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  durationSec: Schema.NullOr(Schema.Finite),
  sortOrder: Schema.Int,
  isFeatured: Schema.Boolean,
  approvedAtMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite
}) {}

export class GalleryAsset extends Schema.Class<GalleryAsset>("GalleryAsset")({
  id: GalleryId,
  kind: Schema.Literals(["image", "video"]),
  status: Schema.Literals(["processing", "pending_review", "ready", "rejected", "failed"]),
  statusReason: Schema.NullOr(Schema.String),
  url: Schema.NullOr(Schema.String),
  thumbnailUrl: Schema.NullOr(Schema.String),
  caption: Schema.String,
  altText: Schema.String,
  source: Schema.NullOr(GallerySource),
  width: Schema.NullOr(Schema.Int),
  height: Schema.NullOr(Schema.Int),
  durationSec: Schema.NullOr(Schema.Finite),
  sortOrder: Schema.Int,
  isFeatured: Schema.Boolean,
  createdAt: Schema.String
}) {}

/** Upload address and its expiry. */
export class GalleryUpload extends Schema.Class<GalleryUpload>("GalleryUpload")({
  id: UploadId,
  assetId: GalleryId,
  method: Schema.Literal("PUT"),
  url: Schema.String,
  headers: Schema.Record(Schema.String, Schema.String),
  maxBytes: Schema.Int,
  expiresAt: Schema.String,
  completePath: Schema.String
}) {}

/** The same by the names that a recording's upload has. `method`, `url`, `headers` and `expiresAt` stay as aliases. */
export class GalleryUploadView extends Schema.Class<GalleryUploadView>("GalleryUploadView")({
  ...GalleryUpload.fields,
  uploadUrl: Schema.String,
  uploadMethod: Schema.Literal("PUT"),
  uploadHeaders: Schema.Record(Schema.String, Schema.String),
  uploadExpiresAt: Schema.String
}) {}
