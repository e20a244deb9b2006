import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { overdueStep, stepped } from "../../engine/rules/programmes/PlanState.ts"
import { type PlanRecord, Plans } from "../../engine/store/programmes/Plans.ts"
import type { ReviewRecord } from "../../engine/store/moderation.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import type { ReviewStatus } from "../../schema/moderation/Review.ts"
import { runLost } from "./ProducerPlans.ts"
import { bindSpeech, reopenSpeech } from "./ProducerSpeech.ts"
import { approved, reject } from "./ProducerSubmission.ts"

const movedOn = new ReviewConflict({ detail: "The plan changed in the meantime. Read it again." })
const state = ({ status, statusReason }: PlanRecord) => ({ status, statusReason })

/** How plans follow what is decided on their reviews. */
export const plansFollowing = {
  apply: Effect.fnUntraced(function* (review: ReviewRecord, status: ReviewStatus, reason: string | null) {
    const plan = yield* (yield* Plans).find(review.subjectId)
    if (plan === null || stepped(plan.status, "Approve") === null) return yield* movedOn
    if (status !== "approved" && status !== "rejected" && status !== "changes_requested")
      return { before: state(plan), after: state(plan) }
    const { planLeadMin } = yield* StationConfig
    if (status === "approved" && overdueStep(plan, planLeadMin, yield* Clock.currentTimeMillis) !== null) {
      return yield* new ReviewConflict({
        detail: "Too late to approve: the block's own programme has started."
      })
    }
    const after = status === "approved" ? yield* approved(plan) : yield* reject(plan, reason)
    return after === null ? yield* movedOn : { before: state(plan), after: state(after) }
  }),
  restore: Effect.fnUntraced(function* (review: ReviewRecord, before: unknown) {
    const plans = yield* Plans
    const plan = yield* plans.find(review.subjectId)
    const was = before as ReturnType<typeof state>
    if (plan === null) return yield* movedOn
    // It was set aside or passed on: nothing came of that.
    if (plan.status === was.status) return before
    const to = stepped(plan.status, "Reopen")
    if (to !== was.status) return yield* movedOn
    const lost = plan.status === "rejected" ? yield* runLost(plan) : null
    if (lost !== null) return yield* new ReviewConflict({ detail: lost })
    const atMs = yield* Clock.currentTimeMillis
    const reopened = yield* plans.move(plan.id, { from: [plan.status], to, reason: was.statusReason, atMs })
    if (reopened === null)
      return yield* new ReviewConflict({ detail: "Its run has been taken by another plan meanwhile." })
    if (plan.status === "approved") {
      yield* reopenSpeech(plan)
    } else {
      const items = yield* Effect.mapError(
        bindSpeech(reopened, true),
        ({ detail }) => new ReviewConflict({ detail: detail ?? movedOn.detail! })
      )
      yield* plans.move(plan.id, { from: [to], to, reason: was.statusReason, atMs, patch: { items } })
    }
    return before
  })
}
