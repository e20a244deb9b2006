import { Effect } from "effect"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import type { ReviewId } from "../../../schema/Ids.ts"
import type { ReviewDecision } from "../../../schema/moderation/Review.ts"
import { MissingFields } from "../../../schema/Problems.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { send } from "../../Send.ts"

const reasonMissing = new MissingFields({
  detail: "Give a reason. The agent and readers of the audit log will see it.",
  errors: [{ pointer: "/reason", code: "MISSING_FIELDS", detail: "is required unless the decision is approve" }]
})

export interface DecisionBody {
  readonly decision: ReviewDecision
  readonly note?: string | null
  readonly reason?: string | null
}

/** Sends an operator's decision to the owner of the subject. `seen` is the version of the review that the operator read; null for any. */
export const makeDecideReview = Effect.map(ReviewRegistry, (registry) =>
  Effect.fnUntraced(function* (id: string, { decision, note, reason }: DecisionBody, seen: string | null) {
    if (decision !== "approve" && (reason ?? "") === "") return yield* reasonMissing
    return yield* send(
      registry.decide({
        reviewId: id as ReviewId,
        decision,
        note: note ?? null,
        actor: (yield* CurrentOperator).name,
        reason: reason ?? null,
        seen
      })
    )
  })
)
