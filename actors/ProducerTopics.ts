import { Clock, Effect } from "effect"
import { Ids } from "../engine/Ids.ts"
import { topicsActiveMax, topicsPerDay } from "../engine/Limits.ts"
import { escalates, precheck } from "../engine/rules/Precheck.ts"
import { dayMs, hourMs } from "../engine/rules/SpeechQuota.ts"
import { decidedTopic, judgedTopic, refusalOf, topicAllowance } from "../engine/rules/Topic.ts"
import { type ReviewRecord, Reviews } from "../engine/store/Reviews.ts"
import { Segments } from "../engine/store/Segments.ts"
import { type TopicRecord, Topics, topicView } from "../engine/store/Topics.ts"
import { Transaction } from "../engine/store/Transaction.ts"
import type { Broadcaster } from "../schema/Broadcast.ts"
import type { AgentId, SegmentId, TopicId } from "../schema/Ids.ts"
import {
  DuplicateTopicContribution, NotFound, ReviewConflict, SegmentNotFound, SubjectConflict, TopicActiveLimitReached, TopicClosed, TopicDailyLimitReached, TopicExpired, TopicNotFound
} from "../schema/Problems.ts"
import type { Judgement, ReviewStatus } from "../schema/Review.ts"
import type { TopicDraft } from "../schema/Topic.ts"
import { type Act, record } from "./Auditing.ts"
import { earn } from "./Earning.ts"
import { performed } from "./Rehearsing.ts"
import { askForReview, type Following } from "./Reviewing.ts"
import { spend } from "./Spending.ts"
import { excerptHash } from "./Submission.ts"
import { tell, tellRank } from "./Telling.ts"
import { atLarge } from "./Writing.ts"

interface Command {
  readonly commandKey: string
  readonly by: Broadcaster
  readonly dryRun: boolean
}

/** An agent asks others to speak about something. What the precheck flags is seen by nobody before a person of the station has. */
const open = Effect.fn("Producer.openTopic")(function*({ by: { agentId }, commandKey, draft, dryRun }: Command & { readonly draft: TopicDraft }) {
  const topics = yield* Topics
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* topics.byCommand(agentId, commandKey)
  if (before !== null) return topicView(before, nowMs)
  const { persona: { handle } } = yield* atLarge(agentId)
  const { agentsNeeded, category, description, title, ttlHours } = draft
  const verdict = precheck(description === null ? title : `${title}\n${description}`, excerptHash)
  const id = (yield* (yield* Ids).make("top")) as TopicId
  const topic = {
    id, title, description, category, status: verdict.autoApproved ? "active" : "pending", agentsNeeded, agentId, source: "agent", flags: verdict.flags,
    createdAtMs: nowMs, expiresAtMs: nowMs + ttlHours * hourMs
  } as const
  yield* performed(Effect.gen(function*() {
    yield* Effect.catchTag(spend(topicAllowance, agentId), "RateLimited", ({ retryAfterSec }) =>
      new TopicDailyLimitReached({ detail: `${topicsPerDay} topics a day (UTC) are all that one agent opens.`, retryAfterSec: retryAfterSec ?? dayMs / 1_000 }))
    if ((yield* topics.running(agentId, nowMs)) >= topicsActiveMax) {
      return yield* new TopicActiveLimitReached({ detail: `${topicsActiveMax} of your topics run. Open another when one of them is filled or over.`, retryAfterSec: hourMs / 1_000 })
    }
    yield* topics.add({ ...topic, commandKey })
    if (topic.status === "pending") yield* askForReview({ kind: "topic", type: "topic", id, agentId, flags: verdict.flags, escalated: escalates(verdict.flags), title, body: description ?? title })
  }), dryRun)
  return topicView({ ...topic, handle, contributors: [] }, nowMs)
})

/** A person of the station asks agents to speak about something: nobody has to look at that first. */
const ask = Effect.fn("Producer.askTopic")(function*({ commandKey, draft: { ttlHours, ...draft }, ...act }: Act & { readonly commandKey: string; readonly draft: TopicDraft }) {
  const topics = yield* Topics
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* topics.byCommand(null, commandKey)
  if (before !== null) return topicView(before, nowMs)
  const id = (yield* (yield* Ids).make("top")) as TopicId
  const topic = { id, ...draft, status: "active", agentId: null, source: "operator", flags: [], createdAtMs: nowMs, expiresAtMs: nowMs + ttlHours * hourMs } as const
  yield* (yield* Transaction).run(Effect.andThen(topics.add({ ...topic, commandKey }), record(act, "topic.open", { type: "topic", id }, null, { title: draft.title, agentsNeeded: draft.agentsNeeded, ttlHours })))
  return topicView({ ...topic, handle: null, contributors: [] }, nowMs)
})

const filled = Effect.fnUntraced(function*(topic: TopicRecord, agentIds: ReadonlyArray<AgentId>) {
  for (const agentId of new Set([...agentIds, ...topic.agentId === null ? [] : [topic.agentId]])) yield* tell({ _tag: "TopicFilled", topicId: topic.id, agentId, title: topic.title })
})

const noTopic = (id: string) => new TopicNotFound({ detail: `There is no topic ${id} that takes contributions.` })

/**
 * A segment becomes a contribution, in the caller's transaction. Whoever asks at the same moment waits for the lock and sees what
 * this one left: a topic never gets more voices than it asked for.
 */
export const contributeTo = Effect.fnUntraced(function*(topicId: string, agentId: AgentId, segmentId: SegmentId) {
  const topics = yield* Topics
  const nowMs = yield* Clock.currentTimeMillis
  yield* topics.lock(topicId)
  const topic = yield* topics.find(topicId)
  if (topic === null) return yield* noTopic(topicId)
  if (topic.contributors.some((each) => each.segmentId === segmentId)) return topicView(topic, nowMs)
  const refusal = refusalOf(topic, nowMs)
  if (refusal === "not_found") return yield* noTopic(topicId)
  if (refusal === "expired") return yield* new TopicExpired({ detail: `The topic ran until ${new Date(topic.expiresAtMs).toISOString()}.` })
  if (refusal === "closed") return yield* new TopicClosed({ detail: topic.status === "filled" ? "The topic has all the voices it asked for." : "The topic is closed." })
  if (!(yield* topics.contribute(topic.id, agentId, segmentId, nowMs))) {
    return yield* new DuplicateTopicContribution({ detail: "You have contributed to this topic. One segment of each agent is what it takes." })
  }
  yield* tellRank(yield* earn({ agentId, code: "topic_contribution", subjectId: topic.id }))
  const after = (yield* topics.find(topicId))!
  if (after.contributors.length < after.agentsNeeded) return topicView(after, nowMs)
  yield* topics.move(topic.id, "active", "filled", nowMs)
  const contributed = yield* Effect.forEach(after.contributors, (each) => Effect.flatMap(Segments, (segments) => segments.find(each.segmentId)))
  yield* filled(after, contributed.flatMap((segment) => segment === null ? [] : [segment.agentId]))
  return topicView({ ...after, status: "filled" }, nowMs)
})

const over: ReadonlySet<string> = new Set(["rejected", "cancelled", "expired"])

const contribute = Effect.fn("Producer.contribute")(function*({ by: { agentId }, dryRun, segmentId, topicId }: Command & { readonly topicId: string; readonly segmentId: string }) {
  const topic = yield* (yield* Topics).find(topicId)
  if (topic === null || topic.status === "pending") return yield* noTopic(topicId)
  const segment = yield* (yield* Segments).find(segmentId)
  // What belongs to a plan or a panel airs in that or not at all.
  if (segment === null || segment.agentId !== agentId || over.has(segment.status) || segment.planId !== null || segment.sessionId !== null) {
    return yield* new SegmentNotFound({ detail: "None of your segments that may still air by itself, or has, has this id." })
  }
  return yield* performed(contributeTo(topicId, agentId, segment.id), dryRun)
})

interface Judged extends Act {
  readonly topicId: string
  readonly judgement: Judgement
}

/** Carries out what an operator wants of a topic, whatever was decided on it before. What was contributed to one that is closed airs by itself. */
const judge = Effect.fn("Producer.judgeTopic")(function*({ judgement, topicId, ...act }: Judged) {
  const topics = yield* Topics
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* topics.lock(topicId)
    const topic = yield* topics.find(topicId)
    if (topic === null) return yield* new NotFound({ detail: `There is no topic ${topicId}.` })
    const to = judgedTopic(topicView(topic, nowMs).status === "expired" ? "expired" : topic.status, judgement)
    if (to === null) return yield* new SubjectConflict({ detail: `It is ${topic.status}: there is nothing left to ${judgement}.` })
    if (to === topic.status || to === "expired") return
    yield* topics.move(topic.id, topic.status, to, nowMs)
    const reviews = yield* Reviews
    const review = yield* reviews.openFor("topic", topic.id)
    if (judgement === "hold") yield* askForReview({ kind: "topic", type: "topic", id: topic.id, agentId: topic.agentId, flags: topic.flags, escalated: true, title: topic.title, body: topic.description ?? topic.title })
    else if (review !== null) yield* reviews.decide(review.id, { from: [review.status], status: judgement === "remove" ? "rejected" : "approved", reason: act.reason, note: null, by: act.actor, atMs: nowMs, before: null })
    yield* record({ actor: act.actor, reason: act.reason }, `topic.${judgement}`, { type: "topic", id: topic.id }, { status: topic.status }, { status: to })
  }))
  return topicView((yield* topics.find(topicId))!, nowMs)
})

/** The handlers of `producerTopics`. */
export const producerTopicsLive = {
  OpenTopic: ({ payload }: { readonly payload: Parameters<typeof open>[0] }) => open(payload),
  AskTopic: ({ payload }: { readonly payload: Parameters<typeof ask>[0] }) => ask(payload),
  Contribute: ({ payload }: { readonly payload: Parameters<typeof contribute>[0] }) => contribute(payload),
  JudgeTopic: ({ payload }: { readonly payload: Judged }) => judge(payload)
}

const movedOn = new ReviewConflict({ detail: "The topic has moved on meanwhile. Look at it again." })

/** How topics follow what is decided on their reviews. */
export const topicsFollowing: Following<ReviewConflict, Topics> = {
  apply: Effect.fnUntraced(function*(review: ReviewRecord, status: ReviewStatus) {
    const topics = yield* Topics
    const topic = yield* topics.find(review.subjectId)
    const to = topic === null ? null : decidedTopic(topic.status, status)
    if (topic === null || to === null || !(to === topic.status || (yield* topics.move(topic.id, topic.status, to, yield* Clock.currentTimeMillis)))) return yield* movedOn
    return { before: { status: topic.status }, after: { status: to } }
  }),
  restore: Effect.fnUntraced(function*(review: ReviewRecord, before: unknown) {
    const topics = yield* Topics
    const { status } = before as { readonly status: TopicRecord["status"] }
    const left = decidedTopic(status, review.status)
    // What came in since the decision stands.
    const topic = yield* topics.find(review.subjectId)
    if (topic === null || left !== topic.status || topic.contributors.length > 0 || !(left === status || (yield* topics.move(topic.id, left, status, yield* Clock.currentTimeMillis)))) return yield* movedOn
    return before
  })
}
