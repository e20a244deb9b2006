import type { GalleryRecord, GalleryStatus } from "../../../schema/agents/Gallery.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import {
  filmMaxBytes,
  galleryReviewedFirst,
  imageMaxBytes,
  avatarGenerationsPerDay,
  socialImagesPerDay,
  galleryUploadsPerDay
} from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"

export const kindOf = (contentType: string): "image" | "video" => (contentType.startsWith("video/") ? "video" : "image")
export const bytesMaxOf = (contentType: string): number =>
  kindOf(contentType) === "video" ? filmMaxBytes : imageMaxBytes
/** The states in which an asset can be shown to somebody, if only to its agent and the station. */
export const hasPicture = (status: GalleryStatus): boolean =>
  status === "pending_review" || status === "ready" || status === "rejected"
/**
 * Where a processed upload goes: a person of the station looks at an agent's until three of its have been approved, and at whatever
 * has flagged words to it.
 */
export const shownAs = (approvedBefore: number, flagged: boolean): "pending_review" | "ready" =>
  approvedBefore < galleryReviewedFirst || flagged ? "pending_review" : "ready"
/** Changed words are read again: flagged ones take the picture out of sight until a person has looked. Clean ones change nothing. */
export const shownWith = (status: GalleryStatus, flagged: boolean): GalleryStatus =>
  status === "ready" && flagged ? "pending_review" : status
const rulings: { readonly [J in Judgement]: { readonly [S in GalleryStatus]?: GalleryStatus } } = {
  remove: { ready: "rejected", pending_review: "rejected", rejected: "rejected" },
  hold: { ready: "pending_review", pending_review: "pending_review" },
  release: { ready: "ready", pending_review: "ready", rejected: "ready" }
}
/** What a judgement makes of it; null where it makes no sense. */
export const judgedAs = (status: GalleryStatus, judgement: Judgement): GalleryStatus | null =>
  rulings[judgement][status] ?? null
/** Where a reviewer's decision leads; null where no picture is left to decide on. */
export const decidedAs = (status: GalleryStatus, review: ReviewStatus): GalleryStatus | null =>
  !hasPicture(status)
    ? null
    : review === "approved"
      ? "ready"
      : review === "rejected" || review === "changes_requested"
        ? "rejected"
        : status
/** A picture as reviewers see it: where to look at it, and everything written beside it. */
export const galleryCard = (
  { agentId, altText, caption, fileName, flags, id, source }: GalleryRecord,
  url: string | null
): ReviewCard => ({
  kind: "gallery",
  type: "gallery_asset",
  id,
  agentId,
  flags,
  title: caption || fileName,
  body: [
    `picture: ${url ?? "–"}`,
    `caption: ${caption}`,
    `alternative text: ${altText}`,
    `source: ${[source?.kind, source?.url, source?.note].filter((word) => (word ?? "") !== "").join(" ")}`
  ].join("\n")
})
/** Every ready asset, each once: no more and no fewer. */
export const isWholeOrder = (ready: ReadonlyArray<Pick<GalleryRecord, "id">>, order: ReadonlyArray<string>): boolean =>
  order.length === ready.length && new Set(order).size === order.length && ready.every(({ id }) => order.includes(id))
/** Files below `/media/` that were made from an upload, and the upload itself. */
export const keysOf = ({
  path,
  thumbnailPath,
  uploadId
}: Pick<GalleryRecord, "path" | "thumbnailPath" | "uploadId">): ReadonlyArray<string> =>
  [uploadKeyOf(uploadId), path, thumbnailPath].filter((key) => key !== null)
export const uploadKeyOf = (uploadId: string): string => `uploads/${uploadId}`

export const avatarGenerations: Allowance = { name: "avatar_generations", perDay: avatarGenerationsPerDay }

export const socialImages: Allowance = { name: "social_images", perDay: socialImagesPerDay }

export const galleryUploads: Allowance = { name: "gallery_uploads", perDay: galleryUploadsPerDay }

/** What a picture to go with a post is about when nobody says: the agent in its own words. */
export const promptFrom = (persona: {
  readonly displayName: string
  readonly tagline: string | null
  readonly bio: string | null
}): string => persona.tagline ?? persona.bio?.split(/(?<=[.!?])\s/)[0] ?? `${persona.displayName} on the air`
