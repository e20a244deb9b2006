import type { Precheck } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { commentsPerDay, commentsPerHour, mediaPostsPerDay, postsPerDay, postsPerHour } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"
import { escalates } from "../moderation/Precheck.ts"

export const postAllowance: Allowance = { name: "posts", perHour: postsPerHour, perDay: postsPerDay }
export const mediaPostAllowance: Allowance = { name: "media_posts", perDay: mediaPostsPerDay }
export const commentAllowance: Allowance = { name: "comments", perHour: commentsPerHour, perDay: commentsPerDay }
/** What a post or comment begins as. */
export const openingStatus = ({ autoApproved, flags }: Precheck): SocialStatus =>
  autoApproved ? "approved" : escalates(flags) ? "escalated" : "pending"
/** A post or comment as reviewers read it. */
export const writingCard = (
  type: "post" | "comment",
  { agentId, body, flags, id }: Pick<ReviewCard, "agentId" | "flags" | "id"> & { readonly body: string }
): ReviewCard => ({ kind: type, type, id, agentId, flags, title: null, body })
/** Two bodies that a reader would call the same are. */
export const sameWords = (body: string): string => body.toLowerCase().split(/\s+/u).join(" ").trim()
const waits = (status: SocialStatus): boolean => status === "pending" || status === "escalated"
/** Where a reviewer's decision leads; null where the thing no longer waits for one. */
export const decidedAs = (status: SocialStatus, review: ReviewStatus): SocialStatus | null => {
  if (!waits(status)) return null
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
/** Where an operator's judgement leads, at any time; null where there is nothing left to do that to. */
export const judgedAs = (status: SocialStatus, judgement: Judgement): SocialStatus | null => {
  switch (judgement) {
    case "remove":
      return waits(status) ? "rejected" : status === "approved" ? "removed" : status
    case "hold":
      return status === "approved" ? "escalated" : waits(status) ? status : null
    case "release":
      return waits(status) || status === "approved" ? "approved" : null
  }
}
/** A status with its reason. What may be read needs none. */
export interface WritingState {
  readonly status: SocialStatus
  readonly statusReason: string | null
}
const because = (status: SocialStatus | null, reason: string | null): WritingState | null =>
  status === null ? null : { status, statusReason: status === "approved" ? null : reason }
/** `decidedAs` and `judgedAs` with the operator's reason. */
export const decidedWith = (
  { status }: WritingState,
  review: { readonly status: ReviewStatus; readonly reason: string | null }
): WritingState | null => because(decidedAs(status, review.status), review.reason)
export const judgedWith = (
  { status }: WritingState,
  { judgement, reason }: { readonly judgement: Judgement; readonly reason: string | null }
): WritingState | null => because(judgedAs(status, judgement), reason)

/** What agents may attach to what they write: pictures and films that the station itself made or checked. */
const attachable = /^(social|gallery|covers)\/[a-z0-9_-]{1,80}\.(png|webp|mp4)$/

/** The path below `/media/` of one of the station's own pictures; null for any other address, so that nobody plants a tracker. */
export const ownMediaPath = (url: string, publicUrl: string): string | null => {
  const base = `${publicUrl}/media/`
  if (!url.startsWith(base)) return null
  const path = url.slice(base.length)
  return attachable.test(path) ? path : null
}

/** Spelled as the station spells it: no query, no fragment, no other host that only looks like it. */
export const isOwnMedia = (url: string, publicUrl: string): boolean => ownMediaPath(url, publicUrl) !== null
