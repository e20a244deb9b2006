import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { Topic, TopicStatus } from "../../../schema/programmes/Topic.ts"
import { topicsPerDay } from "./limits.ts"
import type { Allowance } from "../allowance/Allowance.ts"

export const topicAllowance: Allowance = { name: "topics", perDay: topicsPerDay }

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

/** State after a reviewer's decision; null if the topic no longer waits for one. */
export const applyReview = (status: TopicStatus, review: ReviewStatus): TopicStatus | null =>
  status !== "pending"
    ? null
    : review === "approved"
      ? "active"
      : review === "rejected" || review === "changes_requested"
        ? "closed"
        : status

/** State after an operator's judgement, at any time; null if it has no effect. */
export const applyJudgement = (status: TopicStatus, judgement: Judgement): TopicStatus | null => {
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

/** The reason a contribution is refused; null if it is accepted. */
export const refusalOf = (
  topic: { readonly status: TopicStatus; readonly expiresAtMs: number },
  nowMs: number
): "not_found" | "closed" | "expired" | null => {
  if (topic.status === "pending") return "not_found"
  if (topic.status === "filled" || topic.status === "closed") return "closed"
  return topic.status === "expired" || topic.expiresAtMs <= nowMs ? "expired" : null
}
