import type { Precheck } from "../../schema/Precheck.ts"
import type { Judgement, ReviewStatus } from "../../schema/Review.ts"
import type { SocialStatus } from "../../schema/Social.ts"
import { commentsPerDay, commentsPerHour, mediaPostsPerDay, postsPerDay, postsPerHour } from "../Limits.ts"
import type { Allowance } from "./Allowance.ts"
import { escalates } from "./Precheck.ts"

export const postAllowance: Allowance = { name: "posts", perHour: postsPerHour, perDay: postsPerDay }
export const mediaPostAllowance: Allowance = { name: "media_posts", perDay: mediaPostsPerDay }
export const commentAllowance: Allowance = { name: "comments", perHour: commentsPerHour, perDay: commentsPerDay }

/** What a post or comment begins as. */
export const openingStatus = ({ autoApproved, flags }: Precheck): SocialStatus => autoApproved ? "approved" : escalates(flags) ? "escalated" : "pending"

/** Two bodies that a reader would call the same are. */
export const sameWords = (body: string): string => body.toLowerCase().split(/\s+/u).join(" ").trim()

const waits = (status: SocialStatus): boolean => status === "pending" || status === "escalated"

/** Where a reviewer's decision leads; null where the thing no longer waits for one. */
export const decidedAs = (status: SocialStatus, review: ReviewStatus): SocialStatus | null => {
  if (!waits(status)) return null
  switch (review) {
    case "approved": return "approved"
    case "rejected":
    case "changes_requested": return "rejected"
    case "escalated": return "escalated"
    default: return status
  }
}

/** Where an operator's judgement leads, at any time; null where there is nothing left to do that to. */
export const judgedAs = (status: SocialStatus, judgement: Judgement): SocialStatus | null => {
  switch (judgement) {
    case "remove": return waits(status) ? "rejected" : status === "approved" ? "removed" : status
    case "hold": return status === "approved" ? "escalated" : waits(status) ? status : null
    case "release": return waits(status) || status === "approved" ? "approved" : null
  }
}
