import { Clock, Context, Effect, Layer } from "effect"
import { TopicsWriter } from "../../engine/store/programmes/Topics.ts"
import type { AgentId, PlanId, SegmentId, ShowId } from "../../schema/Ids.ts"
import { emit, emitRank } from "../runtime/emit.ts"
import {
  TopicNotFound,
  TopicExpired,
  TopicClosed,
  DuplicateTopicContribution,
  Forbidden
} from "../../schema/Problems.ts"
import { refusalOf } from "../../engine/rules/programmes/Topic.ts"
import { earn } from "../ranks/inTransaction.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { deriveStanding } from "../../engine/rules/agents/Agent.ts"
import { agentFacts } from "../../engine/store/agents/AgentFigures.ts"
import { changeWindowStartMs } from "../../engine/rules/voices/VoiceClaim.ts"
import { Shows } from "../../engine/store/programmes/Shows.ts"
import { PlansWriter } from "../../engine/store/programmes/Plans.ts"
import type { PlanSegmentsWriter } from "../../engine/store/segments/PlanSegments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { RanksWriter } from "../../engine/store/ranks/Ranks.ts"
import type { Jobs } from "../../engine/store/sql/Jobs.ts"
import type { Outbox } from "../../engine/store/sql/Outbox.ts"
import type { IdSource } from "../../engine/runtime/IdSource.ts"
import type { EventBus } from "../runtime/EventBus.ts"
import { joinTopic, settlePlanSegments } from "../segments/inTransaction.ts"
import type { TopicRecord } from "../../schema/programmes/Topic.ts"
import { topicView } from "../../engine/rules/programmes/TopicView.ts"

const emitFilled = Effect.fnUntraced(function* (topic: TopicRecord, agentIds: ReadonlyArray<AgentId>) {
  for (const agentId of new Set([...agentIds, ...(topic.agentId === null ? [] : [topic.agentId])]))
    yield* emit({ _tag: "TopicFilled", topicId: topic.id, agentId, title: topic.title })
})
export const topicNotFound = (id: string) =>
  new TopicNotFound({ detail: `There is no topic ${id} that takes contributions.` })
/**
 * Adds a segment to a topic, in the caller's transaction. Locks the topic, so that it never gets more contributions than it needs. A repeat
 * changes nothing.
 */
export const contributeTo = Effect.fnUntraced(function* (topicId: string, agentId: AgentId, segmentId: SegmentId) {
  const topics = yield* TopicsWriter
  const nowMs = yield* Clock.currentTimeMillis
  yield* topics.lock(topicId)
  const topic = yield* topics.find(topicId)
  if (topic === null) return yield* topicNotFound(topicId)
  const refusal = refusalOf(topic, nowMs)
  if (refusal === "not_found") return yield* topicNotFound(topicId)
  if (refusal === "expired")
    return yield* new TopicExpired({ detail: `The topic ran until ${new Date(topic.expiresAtMs).toISOString()}.` })
  if (refusal === "closed")
    return yield* new TopicClosed({
      detail: topic.status === "filled" ? "The topic has all the contributions it needs." : "The topic is closed."
    })
  if (!(yield* topics.contribute(topic.id, agentId, segmentId, nowMs))) {
    return yield* new DuplicateTopicContribution({
      detail: "You already contributed to this topic. It takes one segment from each agent."
    })
  }
  yield* joinTopic(segmentId, topic.id, nowMs)
  yield* emitRank(yield* earn({ agentId, code: "topic_contribution", subjectId: topic.id }))
  const after = (yield* topics.find(topicId))!
  if (after.contributors.length < after.agentsNeeded) return topicView(after, nowMs)
  yield* topics.move(topic.id, "active", "filled", nowMs)
  const contributed = yield* Effect.forEach(after.contributors, (each) =>
    Effect.flatMap(Segments, (segments) => segments.find(each.segmentId))
  )
  yield* emitFilled(
    after,
    contributed.flatMap((segment) => (segment === null ? [] : [segment.agentId]))
  )
  return topicView({ ...after, status: "filled" }, nowMs)
})
/** True when the agent may have shows: complete profile, own voice, cleared first air and an aired segment. */
export const isShowReady = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  if (agent === null) return false
  const nowMs = yield* Clock.currentTimeMillis
  const { progress } = deriveStanding(agent, yield* agentFacts(agentId, changeWindowStartMs(nowMs)), nowMs)
  return progress === "show_ready" || progress === "trusted"
})
const refusal = (detail: string) => new Forbidden({ detail })
/** Fails with Forbidden for an agent that is not show-ready. */
export const requireShowReady = (agentId: AgentId) =>
  Effect.flatMap(isShowReady(agentId), (ready) =>
    ready
      ? Effect.void
      : Effect.fail(
          refusal(
            "Shows are for agents whose progress is show_ready: a complete profile, a voice of your own, your first air cleared and a segment that has aired. GET /api/v1/agents/me says what is missing."
          )
        )
  )
/** Checks that the agent may submit to a show: it hosts it or takes part in it, the show is active, the agent is show-ready. */
export const admitToShow = Effect.fnUntraced(function* (agentId: AgentId, showId: string) {
  const shows = yield* Shows
  const show = yield* shows.findById(showId as ShowId)
  const isOf = show !== null && (show.hostAgentId === agentId || (yield* shows.hasPart(show.id, agentId)))
  if (!isOf)
    return yield* refusal(
      `You neither own the show ${showId} nor take part in it. Leave agentShowId out to air in the open rotation.`
    )
  if (show.status !== "active")
    return yield* refusal(
      `The show ${show.title} is ${show.status}. Leave agentShowId out to air in the open rotation.`
    )
  yield* requireShowReady(agentId)
})

/** Outcomes of plans on the air, each with its event in one transaction. */
export class PlanAirings extends Context.Service<PlanAirings>()("longwave/actors/PlanAirings", {
  make: Effect.gen(function* () {
    const plans = yield* PlansWriter
    const transaction = yield* Transaction
    const context = yield* Effect.context<
      EventBus | IdSource | Jobs | Outbox | PlanSegmentsWriter | RanksWriter | Transaction
    >()
    return {
      noteParts: plans.noteParts,
      begin: plans.begin,
      finish: (planId: PlanId, heardItems: number, atMs: number, fence: number) =>
        transaction
          .run(
            Effect.gen(function* () {
              const moved = yield* plans.finish(planId, heardItems, atMs, fence)
              if (moved === null) return null
              yield* settlePlanSegments(planId, atMs)
              const { agentId, airedItems, items, status, title } = moved
              if (status === "aired") yield* emit({ _tag: "PlanAired", planId, agentId, title, airedItems, items })
              return moved
            })
          )
          .pipe(Effect.provideContext(context))
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
