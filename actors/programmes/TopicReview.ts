import { Clock, Effect } from "effect"
import { applyReview, applyJudgement, topicCard } from "../../engine/rules/programmes/Topic.ts"
import { Topics, TopicsWriter } from "../../engine/store/programmes/Topics.ts"
import type { TopicStatus, TopicRecord } from "../../schema/programmes/Topic.ts"
import { moveByState, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { Producer } from "./protocol/Producer.ts"
import { topicView } from "../../engine/rules/programmes/TopicView.ts"

interface State {
  readonly status: TopicStatus
}
const stateAs = (status: TopicStatus | null): State | null => (status === null ? null : { status })

/** Reviews of topics. Contributions to a closed topic still air. */
export const topicReview = makeRemovable({
  type: "topic",
  entity: Producer,
  key: "agent",
  find: (id) => Effect.flatMap(Topics, (topics) => topics.find(id)),
  notFound: noneOf("topic"),
  agentOf: ({ agentId }) => agentId,
  card: topicCard,
  applyJudgement: (topic, { atMs, judgement }) => {
    // The topic may have expired before that was stored.
    const status = topicView(topic, atMs).status === "expired" ? "expired" : topic.status
    const to = applyJudgement(status, judgement)
    return stateAs(to === "expired" ? topic.status : to)
  },
  view: (topic) => Effect.map(Clock.currentTimeMillis, (nowMs) => ({ topic: topicView(topic, nowMs) })),
  ...moveByState({
    state: ({ status }: TopicRecord): State => ({ status }),
    statusOf: ({ status }) => status,
    applyVerdict: ({ status }, verdict) => stateAs(applyReview(status, verdict.status)),
    // A decision can't be undone once the topic has contributions.
    canUndo: ({ contributors }: TopicRecord) => Effect.succeed(contributors.length === 0),
    move: Effect.fnUntraced(function* ({ id, status }: TopicRecord, to: State) {
      return yield* (yield* TopicsWriter).move(id, status, to.status, yield* Clock.currentTimeMillis)
    })
  })
})
