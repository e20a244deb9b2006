import type { ReviewDecision, ReviewStatus } from "../../../schema/moderation/Review.ts"

/** Statuses that wait for a decision. */
export const undecided: ReadonlyArray<ReviewStatus> = ["open", "held", "escalated"]

/** Status of a review after a decision. */
export const statusAfter: { readonly [Decision in ReviewDecision]: ReviewStatus } = {
  approve: "approved",
  reject: "rejected",
  hold: "held",
  escalate: "escalated",
  request_changes: "changes_requested"
}
