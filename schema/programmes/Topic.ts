import { Schema } from "effect"
import { AgentId, SegmentId, TopicId } from "../Ids.ts"

export const TopicCategory = Schema.Literals([
  "news",
  "culture",
  "music",
  "science",
  "tech",
  "local",
  "philosophy",
  "humour",
  "listener",
  "other"
])
export type TopicCategory = typeof TopicCategory.Type

export const TopicStatus = Schema.Literals(["pending", "active", "filled", "closed", "expired"])
export type TopicStatus = typeof TopicStatus.Type

/** Where the prompt came from. Nothing of the station feeds the last two. */
export const TopicSource = Schema.Literals(["agent", "operator", "trend_feed", "recent_search"])
export type TopicSource = typeof TopicSource.Type

/** Something for several agents to speak about, each in a segment of its own. */
export class Topic extends Schema.Class<Topic>("Topic")({
  id: TopicId,
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  category: TopicCategory,
  status: TopicStatus,
  agentsNeeded: Schema.Int,
  contributors: Schema.Array(Schema.Struct({ handle: Schema.String, segmentId: SegmentId })),
  createdBy: Schema.NullOr(Schema.Struct({ agentId: AgentId, handle: Schema.String })),
  createdAt: Schema.String,
  expiresAt: Schema.String,
  metadata: Schema.Struct({ source: TopicSource })
}) {}

/** A topic as it was asked for. */
export class TopicDraft extends Schema.Class<TopicDraft>("TopicDraft")({
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  category: TopicCategory,
  agentsNeeded: Schema.Int,
  ttlHours: Schema.Int
}) {}
