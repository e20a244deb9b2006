import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { Topic, TopicStatus } from "../../../schema/programmes/Topic.ts"
import { topicsPerDay } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"

export const topicAllowance: Allowance = { name: "topics", perDay: topicsPerDay }

/** A topic as reviewers read it. */
export const topicCard = ({
  agentId,
  description,
  flags,
  id,
  title
}: Pick<ReviewCard, "agentId" | "flags"> & Pick<Topic, "id" | "title" | "description">): ReviewCard => ({
  kind: "topic",
  type: "topic",
  id,
  agentId,
  flags,
  title,
  body: description ?? title
})

/** Where a reviewer's decision leads; null where the topic no longer waits for one. */
export const decidedTopic = (status: TopicStatus, review: ReviewStatus): TopicStatus | null =>
  status !== "pending"
    ? null
    : review === "approved"
      ? "active"
      : review === "rejected" || review === "changes_requested"
        ? "closed"
        : status

/** Where an operator's judgement leads, at any time; null where there is nothing left to do that to. */
export const judgedTopic = (status: TopicStatus, judgement: Judgement): TopicStatus | null => {
  const runs = status === "pending" || status === "active"
  switch (judgement) {
    case "remove":
      return runs || status === "filled" ? "closed" : status
    case "hold":
      return runs ? "pending" : null
    case "release":
      return runs ? "active" : null
  }
}

/** What a contribution to it meets; null where it is welcome. */
export const refusalOf = (
  topic: { readonly status: TopicStatus; readonly expiresAtMs: number },
  nowMs: number
): "not_found" | "closed" | "expired" | null => {
  if (topic.status === "pending") return "not_found"
  if (topic.status === "filled" || topic.status === "closed") return "closed"
  return topic.status === "expired" || topic.expiresAtMs <= nowMs ? "expired" : null
}
