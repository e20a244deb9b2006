import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { GalleryAsset, GalleryContentType, GallerySource, GalleryUpload } from "../../schema/Gallery.ts"
import { Busy, ContentRejected, Forbidden, InvalidField, NotFound, RateLimited, SubjectConflict, UploadStateConflict } from "../../schema/Problems.ts"
import { Judgement } from "../../schema/Review.ts"
import { act } from "./Act.ts"

const dryRun = Schema.Boolean

/** What came of an upload when it was processed. */
export const IngestOutcome = Schema.Union([
  Schema.TaggedStruct("Made", { path: Schema.String, thumbnailPath: Schema.String, width: Schema.Int, height: Schema.Int, durationSec: Schema.NullOr(Schema.Finite) }),
  Schema.TaggedStruct("Refused", { reason: Schema.String })
])
export type IngestOutcome = typeof IngestOutcome.Type

/** The agent's own pictures and films. */
export const deskGallery = [
  Rpc.make("InitiateUpload", {
    payload: { fileName: Schema.String, contentType: GalleryContentType, byteSize: Schema.Int, dryRun },
    success: GalleryUpload,
    error: Schema.Union([Forbidden, RateLimited, Busy])
  }),
  /** The file is there: what it shows and where it comes from. A repeat answers what has become of it. */
  Rpc.make("CompleteUpload", {
    payload: { uploadId: Schema.String, caption: Schema.String, altText: Schema.String, source: GallerySource, dryRun },
    success: GalleryAsset,
    error: Schema.Union([NotFound, UploadStateConflict, ContentRejected, Busy])
  }),
  /** What became of an upload; nothing when it isn't being processed any more. */
  Rpc.make("SettleUpload", { payload: { assetId: Schema.String, outcome: IngestOutcome }, success: Schema.Void }),
  Rpc.make("ChangeAsset", {
    payload: { assetId: Schema.String, caption: Schema.NullOr(Schema.String), altText: Schema.NullOr(Schema.String), isFeatured: Schema.NullOr(Schema.Boolean), dryRun },
    success: GalleryAsset,
    error: Schema.Union([NotFound, ContentRejected, UploadStateConflict])
  }),
  Rpc.make("RemoveAsset", { payload: { assetId: Schema.String, dryRun }, success: Schema.Void, error: NotFound }),
  /** An operator takes a picture down, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("JudgeAsset", {
    payload: { assetId: Schema.String, judgement: Judgement, ...act },
    success: GalleryAsset,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  Rpc.make("ReorderGallery", { payload: { assetIds: Schema.Array(Schema.String), dryRun }, success: Schema.Array(GalleryAsset), error: InvalidField })
] as const
