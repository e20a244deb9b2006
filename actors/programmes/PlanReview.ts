import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { overdueStep, applyStep } from "../../engine/rules/programmes/PlanState.ts"
import { Plans, PlansWriter } from "../../engine/store/programmes/Plans.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import { makeReviewable, type Verdict } from "../moderation/Reviews.ts"
import { Producer } from "./protocol/Producer.ts"
import { findLostRun } from "./ProducerPlans.ts"
import { bindSpeech, reopenSpeech } from "./ProducerSpeech.ts"
import { approvePlan, reject } from "./ProducerSubmission.ts"
import type { PlanRecord } from "../../schema/programmes/Plan.ts"

const state = ({ status, statusReason }: PlanRecord) => ({ status, statusReason })

/** Reviews of plans. */
export const planReview = makeReviewable({
  type: "plan",
  entity: Producer,
  key: "agent",
  find: (id) => Effect.flatMap(Plans, (plans) => plans.find(id)),
  apply: Effect.fnUntraced(function* (plan: PlanRecord, { atMs, reason, status }: Verdict) {
    if (applyStep(plan.status, "Approve") === null) return null
    if (status !== "approved" && status !== "rejected" && status !== "changes_requested")
      return { before: state(plan), after: state(plan) }
    const { planLeadMin } = yield* StationConfig
    if (status === "approved" && overdueStep(plan, planLeadMin, atMs) !== null)
      return yield* new ReviewConflict({ detail: "Too late to approve: the block's own programme has started." })
    const after = status === "approved" ? yield* approvePlan(plan) : yield* reject(plan, reason)
    return after === null ? null : { before: state(plan), after: state(after) }
  }),
  restore: Effect.fnUntraced(function* (plan: PlanRecord, kept: unknown) {
    const plans = yield* PlansWriter
    const before = kept as ReturnType<typeof state>
    // The decision did not change the plan.
    if (plan.status === before.status) return before
    const to = applyStep(plan.status, "Reopen")
    if (to !== before.status) return null
    const lost = plan.status === "rejected" ? yield* findLostRun(plan) : null
    if (lost !== null) return yield* new ReviewConflict({ detail: lost })
    const atMs = yield* Clock.currentTimeMillis
    const move = { to, reason: before.statusReason, atMs }
    const reopened = yield* plans.move(plan.id, { ...move, from: [plan.status] })
    if (reopened === null)
      return yield* new ReviewConflict({ detail: "Its run has been taken by another plan meanwhile." })
    if (plan.status === "approved") {
      yield* reopenSpeech(plan)
    } else {
      const items = yield* Effect.mapError(
        bindSpeech(reopened, true),
        ({ detail }) => new ReviewConflict({ detail: detail ?? "Its speech changed in the meantime." })
      )
      yield* plans.move(plan.id, { ...move, from: [to], patch: { items } })
    }
    return before
  })
})
