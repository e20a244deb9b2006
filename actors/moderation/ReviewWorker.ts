import { Clock, Effect } from "effect"
import { lateReviewsEverySec } from "../../engine/rules/moderation/limits.ts"
import { Reviews } from "../../engine/store/moderation.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { every, periodicJob } from "../runtime/Jobs.ts"

/** Alerts operators to reviews that are later than promised, and again when there are more of them. It never decides anything. */
export const remindOfReviews = Effect.fn("Reviews.remind")(function* () {
  const bus = yield* EventBus
  const late = yield* (yield* Reviews).overdue(yield* Clock.currentTimeMillis)
  if (late > ((yield* bus.get("lateReviews")) ?? 0))
    yield* bus.publish({
      _tag: "OpsAlerted",
      what: "reviews_overdue",
      detail: `${late} submissions wait longer for a review than was promised.`
    })
  yield* bus.put("lateReviews", late)
})

export const reviewJobs = [
  periodicJob("moderation.remind_of_reviews", { next: every(lateReviewsEverySec * 1_000), work: remindOfReviews() })
] as const
