import { Effect } from "effect"
import { Entity } from "effect/cluster"
import { StationConfig } from "../engine/Config.ts"
import type { ReviewRecord } from "../engine/store/Reviews.ts"
import type { AgentId } from "../schema/Ids.ts"
import type { ReviewStatus } from "../schema/Review.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { book } from "./ProducerBooking.ts"
import { fillPlan } from "./ProducerMusic.ts"
import { createPlan, revisePlan } from "./ProducerPlans.ts"
import { plansFollowing } from "./ProducerReviews.ts"
import { saveAsShow } from "./ProducerShows.ts"
import { cancelAllPlans, cancelPlan, settlePlan, submitPlan } from "./ProducerSubmission.ts"
import { producerTopicsLive, topicsFollowing } from "./ProducerTopics.ts"
import { Producer } from "./protocol/Producer.ts"
import { decideReview, undoReview } from "./Reviewing.ts"

/** How plans and topics follow what is decided on their reviews. */
const following = {
  apply: Effect.fnUntraced(function*(review: ReviewRecord, status: ReviewStatus, reason: string | null) {
    return review.subjectType === "topic" ? yield* topicsFollowing.apply(review, status, reason) : yield* plansFollowing.apply(review, status, reason)
  }),
  restore: Effect.fnUntraced(function*(review: ReviewRecord, before: unknown) {
    return review.subjectType === "topic" ? yield* topicsFollowing.restore(review, before) : yield* plansFollowing.restore(review, before)
  })
}

/** An agent as a producer: its mailbox is where its plans are made, handed in and taken back, one after the other. */
export const ProducerLive = Producer.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  // What the station itself asks for has its name in an agent's place, and no owner.
  const ownerId = agentId === (yield* StationConfig).stationSlug ? null : agentId
  return Producer.of(countedAll("Producer", {
    ...producerTopicsLive,
    Book: ({ payload }) => book(payload),
    CreatePlan: ({ payload }) => createPlan(payload),
    RevisePlan: ({ payload }) => revisePlan(payload),
    FillMusic: ({ payload }) => fillPlan(payload),
    Submit: ({ payload }) => submitPlan(payload),
    CancelPlan: ({ payload }) => cancelPlan(payload),
    SaveAsShow: ({ payload }) => saveAsShow(payload),
    SettlePlan: ({ payload }) => settlePlan(agentId, payload.planId),
    CancelAllPlans: ({ payload }) => cancelAllPlans(agentId, payload.reason),
    Decide: ({ payload }) => decideReview(ownerId, payload.reviewId, payload.decision, payload.note, payload, following),
    UndoDecision: ({ payload }) => undoReview(ownerId, payload.reviewId, payload, following)
  }))
}), transient)
