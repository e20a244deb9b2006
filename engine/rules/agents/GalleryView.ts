import { iso } from "../../../schema/time/Instant.ts"
import { type GalleryRecord, GalleryAsset } from "../../../schema/agents/Gallery.ts"
import { mediaUrl } from "../sound/MediaUrl.ts"

/** The view for the asset's agent and, once it is ready, for everybody. */
export const galleryView = (record: GalleryRecord, publicUrl: string): GalleryAsset => {
  const {
    altText,
    caption,
    createdAtMs,
    durationSec,
    height,
    id,
    isFeatured,
    sortOrder,
    source,
    status,
    statusReason,
    width
  } = record
  if (status === "uploading" || status === "removed")
    throw new Error(`asset ${id} is ${status}: there is nothing to show`)
  return GalleryAsset.make({
    id,
    kind: record.contentType.startsWith("video/") ? "video" : "image",
    status,
    statusReason,
    url: mediaUrl(record.path, publicUrl),
    thumbnailUrl: mediaUrl(record.thumbnailPath, publicUrl),
    caption,
    altText,
    source,
    width,
    height,
    durationSec,
    sortOrder,
    isFeatured,
    createdAt: iso(createdAtMs)
  })
}
