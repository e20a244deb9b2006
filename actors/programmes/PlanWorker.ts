import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { planGraceMs, planRoundMax, planRoundSec } from "../../engine/rules/programmes/limits.ts"
import { overdueStep } from "../../engine/rules/programmes/PlanState.ts"
import { Plans } from "../../engine/store/programmes/Plans.ts"
import { every, periodicJob } from "../runtime/Jobs.ts"
import { Producer } from "./protocol/Producer.ts"

/** Settles overdue plans: a late draft lapses, an undecided plan is rejected. Answers their number. */
export const planRound = Effect.fn("Plans.round")(function* () {
  const { planLeadMin } = yield* StationConfig
  const producer = yield* Producer.client
  // A grace period, so that a last-minute command is answered before the plan is settled.
  const nowMs = (yield* Clock.currentTimeMillis) - planGraceMs
  const waiting = yield* (yield* Plans).waitingBefore(nowMs + planLeadMin * 60_000, planRoundMax)
  // A failure doesn't block the other plans.
  const settled = yield* Effect.forEach(
    waiting.filter((plan) => overdueStep(plan, planLeadMin, nowMs) !== null),
    ({ agentId, id }) =>
      Effect.catchCause(producer(agentId).SettlePlan({ planId: id }), (cause) =>
        Effect.as(Effect.logWarning(`plan ${id} could not be settled`, cause), false)
      )
  )
  return settled.filter(Boolean).length
})

export const planJobs = [
  periodicJob("programmes.settle_plans", { next: every(planRoundSec * 1_000), work: planRound() })
] as const
