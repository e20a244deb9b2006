import { Clock, Effect } from "effect"
import { topicRoundMinutes } from "../../engine/rules/programmes/limits.ts"
import { TopicsWriter } from "../../engine/store/programmes/Topics.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { repeatEvery, periodicJob } from "../runtime/Jobs.ts"
import { withdrawReview } from "../moderation/Reviews.ts"

/** Expires unfilled topics and closes topics whose contributions have all aired. */
export const topicRound = Effect.fnUntraced(function* () {
  const topics = yield* TopicsWriter
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      for (const id of yield* topics.expire(yield* Clock.currentTimeMillis))
        yield* withdrawReview("topic", id, "TOPIC_EXPIRED")
    })
  )
  yield* topics.closeAired
})

export const topicJobs = [
  periodicJob("programmes.end_topics", { next: repeatEvery(topicRoundMinutes * 60_000), work: topicRound() })
] as const
