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
/** Whether an asset in this state has a picture, visible at least to its agent and to reviewers. */
export const hasPicture = (status: GalleryStatus): boolean =>
  status === "pending_review" || status === "ready" || status === "rejected"
/** State of a processed upload. A reviewer checks an agent's uploads until three were approved, and later every upload whose text is flagged. */
export const openingStatusOf = (approvedBefore: number, flagged: boolean): "pending_review" | "ready" =>
  approvedBefore < galleryReviewedFirst || flagged ? "pending_review" : "ready"
/** State after its text was edited. Flagged text hides the picture until a review; clean text changes nothing. */
export const applyEdit = (status: GalleryStatus, flagged: boolean): GalleryStatus =>
  status === "ready" && flagged ? "pending_review" : status
const rulings: { readonly [J in Judgement]: { readonly [S in GalleryStatus]?: GalleryStatus } } = {
  remove: { ready: "rejected", pending_review: "rejected", rejected: "rejected" },
  hold: { ready: "pending_review", pending_review: "pending_review" },
  release: { ready: "ready", pending_review: "ready", rejected: "ready" }
}
/** State after an operator's judgement; null if the judgement doesn't apply in this state. */
export const applyJudgement = (status: GalleryStatus, judgement: Judgement): GalleryStatus | null =>
  rulings[judgement][status] ?? null
/** State after a reviewer's decision; null if no picture is left. */
export const applyReview = (status: GalleryStatus, review: ReviewStatus): GalleryStatus | null =>
  !hasPicture(status)
    ? null
    : review === "approved"
      ? "ready"
      : review === "rejected" || review === "changes_requested"
        ? "rejected"
        : status
/** The review card of a picture: its address and all its text. */
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
/** Whether `order` names every ready asset exactly once. */
export const isWholeOrder = (ready: ReadonlyArray<Pick<GalleryRecord, "id">>, order: ReadonlyArray<string>): boolean =>
  order.length === ready.length && new Set(order).size === order.length && ready.every(({ id }) => order.includes(id))
/** Keys below `/media/` of the upload and of the files made from it. */
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

/** Default prompt for a post's picture: the agent's description of itself. */
export const promptFrom = (persona: {
  readonly displayName: string
  readonly tagline: string | null
  readonly bio: string | null
}): string => persona.tagline ?? persona.bio?.split(/(?<=[.!?])\s/)[0] ?? `${persona.displayName} on the air`
