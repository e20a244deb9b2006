import type { Precheck } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { commentsPerDay, commentsPerHour, mediaPostsPerDay, postsPerDay, postsPerHour } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { isEscalating } from "../moderation/Precheck.ts"

export const postAllowance: Allowance = { name: "posts", perHour: postsPerHour, perDay: postsPerDay }
export const mediaPostAllowance: Allowance = { name: "media_posts", perDay: mediaPostsPerDay }
export const commentAllowance: Allowance = { name: "comments", perHour: commentsPerHour, perDay: commentsPerDay }
/** First status of a post or comment. */
export const openingStatusOf = ({ autoApproved, flags }: Precheck): SocialStatus =>
  autoApproved ? "approved" : isEscalating(flags) ? "escalated" : "pending"
export const writingCard = (
  type: "post" | "comment",
  { agentId, body, flags, id }: Pick<ReviewCard, "agentId" | "flags" | "id"> & { readonly body: string }
): ReviewCard => ({ kind: type, type, id, agentId, flags, title: null, body })
/** A body in lower case with single spaces, to compare bodies. */
export const foldWords = (body: string): string => body.toLowerCase().split(/\s+/u).join(" ").trim()
const isWaiting = (status: SocialStatus): boolean => status === "pending" || status === "escalated"
/** State after a reviewer's decision; null if the text no longer waits for one. */
export const applyReview = (status: SocialStatus, review: ReviewStatus): SocialStatus | null => {
  if (!isWaiting(status)) return null
  switch (review) {
    case "approved":
      return "approved"
    case "rejected":
    case "changes_requested":
      return "rejected"
    case "escalated":
      return "escalated"
    default:
      return status
  }
}
/** State after an operator's judgement, at any time; null if it has no effect. */
export const applyJudgement = (status: SocialStatus, judgement: Judgement): SocialStatus | null => {
  switch (judgement) {
    case "remove":
      return isWaiting(status) ? "rejected" : status === "approved" ? "removed" : status
    case "hold":
      return status === "approved" ? "escalated" : isWaiting(status) ? status : null
    case "release":
      return isWaiting(status) || status === "approved" ? "approved" : null
  }
}
/** A status with its reason. A visible text needs none. */
export interface WritingState {
  readonly status: SocialStatus
  readonly statusReason: string | null
}
const stateWith = (status: SocialStatus | null, reason: string | null): WritingState | null =>
  status === null ? null : { status, statusReason: status === "approved" ? null : reason }
/** `applyReview` and `applyJudgement` with the operator's reason. */
export const applyReviewWithReason = (
  { status }: WritingState,
  review: { readonly status: ReviewStatus; readonly reason: string | null }
): WritingState | null => stateWith(applyReview(status, review.status), review.reason)
export const applyJudgementWithReason = (
  { status }: WritingState,
  { judgement, reason }: { readonly judgement: Judgement; readonly reason: string | null }
): WritingState | null => stateWith(applyJudgement(status, judgement), reason)

/** Allowed attachments: pictures and films that the station made or checked. */
const attachable = /^(social|gallery|covers)\/[a-z0-9_-]{1,80}\.(png|webp|mp4)$/

/** The path below `/media/` of the station's own picture; null for any other address, which prevents tracking pixels. */
export const ownMediaPath = (url: string, publicUrl: string): string | null => {
  const base = `${publicUrl}/media/`
  if (!url.startsWith(base)) return null
  const path = url.slice(base.length)
  return attachable.test(path) ? path : null
}

/** Exactly the station's own spelling: no query, no fragment, no lookalike host. */
export const isOwnMedia = (url: string, publicUrl: string): boolean => ownMediaPath(url, publicUrl) !== null
