import { Clock, Effect } from "effect"
import { lateReviewsEverySec, peerAtOnce, peerRetryMostMs } from "../../engine/rules/moderation/limits.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { backOff, deadlineJob, repeatEvery, periodicJob } from "../runtime/Jobs.ts"
import { ClosePeerCase, ReviewRegistry } from "./protocol.ts"

/** Alerts operators when the number of overdue reviews grows. Decides nothing. */
export const remindOfReviews = Effect.fnUntraced(function* () {
  const bus = yield* EventBus
  const late = yield* (yield* Reviews).countOverdue(yield* Clock.currentTimeMillis)
  if (late > ((yield* bus.get("lateReviews")) ?? 0))
    yield* bus.publish({
      _tag: "OpsAlerted",
      what: "reviews_overdue",
      detail: `${late} reviews are overdue.`
    })
  yield* bus.put("lateReviews", late)
})

export const reviewJobs = [
  periodicJob("moderation.remind_of_reviews", {
    next: repeatEvery(lateReviewsEverySec * 1_000),
    work: remindOfReviews()
  }),
  deadlineJob(ClosePeerCase, {
    atOnce: peerAtOnce,
    restMs: backOff(1_000, peerRetryMostMs),
    close: ({ caseId }) => Effect.flatMap(ReviewRegistry, (registry) => registry.closePeerCase(caseId))
  })
] as const
