import type { ReviewDecision, ReviewStatus } from "../../../schema/moderation/Review.ts"

/** Still waiting for a person. */
export const undecided: ReadonlyArray<ReviewStatus> = ["open", "held", "escalated"]

/** What a review is after a decision. */
export const statusAfter: { readonly [Decision in ReviewDecision]: ReviewStatus } = {
  approve: "approved",
  reject: "rejected",
  hold: "held",
  escalate: "escalated",
  request_changes: "changes_requested"
}
