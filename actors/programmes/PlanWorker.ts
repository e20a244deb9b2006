import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { planGraceMs, planRoundMax, planRoundSec } from "../../engine/rules/programmes/limits.ts"
import { overdueStep } from "../../engine/rules/programmes/PlanState.ts"
import { houseLookMs, houseRetryMs, houseTriesMax } from "../../engine/rules/music/limits.ts"
import { Plans } from "../../engine/store/programmes/Plans.ts"
import { composeSongAhead } from "../music/HouseWorks.ts"
import { backOff, repeatEvery, jobHandler, rescheduleAfter, periodicJob } from "../runtime/Jobs.ts"
import { ComposeAhead } from "./protocol/Jobs.ts"
import { Producer } from "./protocol/Producer.ts"

/** Settles overdue plans: a late draft lapses, an undecided plan is rejected. Answers their number. */
export const planRound = Effect.fnUntraced(function* () {
  const { planLeadMin } = yield* StationConfig
  const producer = yield* Producer.client
  // A grace period, so that a last-minute command is answered before the plan is settled.
  const nowMs = (yield* Clock.currentTimeMillis) - planGraceMs
  const waiting = yield* (yield* Plans).listWaitingBefore(nowMs + planLeadMin * 60_000, planRoundMax)
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

/** One song at a time, until the plan is full or about to begin. What is missing then comes from the rotation. */
const composeAhead = jobHandler(ComposeAhead, {
  triesMax: houseTriesMax,
  restMs: backOff(houseRetryMs, 60 * houseRetryMs),
  work: Effect.fnUntraced(function* ({ agentId, planId }) {
    const missing = yield* (yield* Producer.client)(agentId).FillAhead({ planId })
    if (missing === null) return
    switch (yield* composeSongAhead(missing)) {
      case "composed":
        return yield* rescheduleAfter(0)
      case "wait":
        return yield* rescheduleAfter(houseLookMs, "The station makes its own songs first.")
      case "enough":
        return
    }
  })
})

export const planJobs = [
  composeAhead,
  periodicJob("programmes.settle_plans", { next: repeatEvery(planRoundSec * 1_000), work: planRound() })
] as const
