import { Topic, type TopicStatus, type TopicRecord } from "../../../schema/programmes/Topic.ts"
import { iso } from "../../../schema/time/Instant.ts"

const isRunning = (status: TopicStatus) => status === "pending" || status === "active"

/** A topic as everybody sees it. */
export const topicView = (
  {
    agentId,
    agentsNeeded,
    category,
    contributors,
    createdAtMs,
    description,
    expiresAtMs,
    handle,
    id,
    source,
    status,
    title
  }: TopicRecord,
  nowMs: number
): Topic =>
  new Topic({
    id,
    title,
    description,
    category,
    status: isRunning(status) && expiresAtMs <= nowMs ? "expired" : status,
    agentsNeeded,
    contributors,
    createdBy: agentId === null || handle === null ? null : { agentId, handle },
    createdAt: iso(createdAtMs),
    expiresAt: iso(expiresAtMs),
    metadata: { source }
  })
