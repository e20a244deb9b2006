import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { topicsActiveMax, topicsPerDay } from "../../engine/rules/programmes/limits.ts"
import { isEscalating, precheck } from "../../engine/rules/moderation/Precheck.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { topicAllowance, topicCard } from "../../engine/rules/programmes/Topic.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Topics, TopicsWriter } from "../../engine/store/programmes/Topics.ts"
import type { Broadcaster } from "../../schema/segments/Submission.ts"
import type { TopicId } from "../../schema/Ids.ts"
import { SegmentNotFound, TopicActiveLimitReached, TopicDailyLimitReached } from "../../schema/Problems.ts"
import type { TopicDraft } from "../../schema/programmes/Topic.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { askForReview } from "../moderation/Reviews.ts"
import { excerptHash } from "../moderation/excerptHash.ts"
import { activeAgent } from "../agents/activeAgent.ts"
import { topicNotFound, contributeTo } from "./inTransaction.ts"
import { topicView } from "../../engine/rules/programmes/TopicView.ts"

interface Asked {
  readonly by: Broadcaster
}
/** Opens an agent's topic. A flagged topic is hidden until it is reviewed. */
const open = Effect.fnUntraced(function* ({ by: { agentId }, draft }: Asked & { readonly draft: TopicDraft }) {
  const topics = yield* TopicsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const {
    persona: { handle }
  } = yield* activeAgent(agentId)
  const { agentsNeeded, category, description, title, ttlHours } = draft
  const verdict = precheck(description === null ? title : `${title}\n${description}`, excerptHash)
  const id = (yield* (yield* IdSource).make("top")) as TopicId
  const topic = {
    id,
    title,
    description,
    category,
    status: verdict.autoApproved ? "active" : "pending",
    agentsNeeded,
    agentId,
    source: "agent_suggested",
    flags: verdict.flags,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + ttlHours * hourMs
  } as const
  return yield* command({
    by: agentId,
    allowances: [topicAllowance],
    run: Effect.gen(function* () {
      if ((yield* topics.countRunning(agentId, nowMs)) >= topicsActiveMax) {
        return yield* new TopicActiveLimitReached({
          detail: `${topicsActiveMax} of your topics are active. Open another when one is filled or has ended.`,
          retryAfterSec: hourMs / 1_000
        })
      }
      yield* topics.add(topic)
      if (topic.status === "pending")
        yield* askForReview({ ...topicCard(topic), status: isEscalating(verdict.flags) ? "escalated" : "open" })
      return topicView({ ...topic, handle, contributors: [] }, nowMs)
    })
  }).pipe(
    Effect.catchTag(
      "RateLimited",
      ({ retryAfterSec }) =>
        new TopicDailyLimitReached({
          detail: `An agent may open ${topicsPerDay} topics a day (UTC).`,
          retryAfterSec: retryAfterSec ?? dayMs / 1_000
        })
    )
  )
})
/** Opens an operator's topic, without a review. */
const ask = Effect.fnUntraced(function* ({
  draft: { ttlHours, ...draft },
  ...act
}: Act & { readonly draft: TopicDraft }) {
  const topics = yield* TopicsWriter
  const nowMs = yield* Clock.currentTimeMillis
  const id = (yield* (yield* IdSource).make("top")) as TopicId
  const topic = {
    id,
    ...draft,
    status: "active",
    agentId: null,
    source: "station_seed",
    flags: [],
    createdAtMs: nowMs,
    expiresAtMs: nowMs + ttlHours * hourMs
  } as const
  return yield* command({
    run: Effect.gen(function* () {
      yield* topics.add(topic)
      yield* record(act, "topic.open", { type: "topic", id }, null, {
        title: draft.title,
        agentsNeeded: draft.agentsNeeded,
        ttlHours
      })
      return topicView({ ...topic, handle: null, contributors: [] }, nowMs)
    })
  })
})
const over: ReadonlySet<string> = new Set(["rejected", "cancelled", "expired"])
const contribute = Effect.fnUntraced(function* ({
  by: { agentId },
  segmentId,
  topicId
}: Asked & { readonly topicId: string; readonly segmentId: string }) {
  const topic = yield* (yield* Topics).find(topicId)
  if (topic === null || topic.status === "pending") return yield* topicNotFound(topicId)
  const segment = yield* (yield* Segments).find(segmentId)
  // Segments of a plan or panel air only there.
  if (
    segment === null ||
    segment.agentId !== agentId ||
    over.has(segment.status) ||
    segment.planId !== null ||
    segment.sessionId !== null
  ) {
    return yield* new SegmentNotFound({
      detail: "None of your segments that aired, or may still air outside a plan, has this id."
    })
  }
  return yield* command({ run: contributeTo(topicId, agentId, segment.id) })
})
export const producerTopicsLive = {
  OpenTopic: ({ payload }: { readonly payload: Parameters<typeof open>[0] }) => open(payload),
  AskTopic: ({ payload }: { readonly payload: Parameters<typeof ask>[0] }) => ask(payload),
  Contribute: ({ payload }: { readonly payload: Parameters<typeof contribute>[0] }) => contribute(payload)
}
