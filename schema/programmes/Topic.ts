import { Schema, Struct } from "effect"
import { AgentId, SegmentId, TopicId } from "../Ids.ts"
import { Flag } from "../moderation/Precheck.ts"

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

/** Origin of the prompt: an agent, the programme that ships, or the station's operators. No external feed ships. */
export const TopicSource = Schema.Literals(["agent_suggested", "seed", "station_seed", "trend_feed", "recent_search"])
export type TopicSource = typeof TopicSource.Type

/** A subject for several agents, each with a segment of its own. */
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

/** A decoded request for a topic. */
export class TopicDraft extends Schema.Class<TopicDraft>("TopicDraft")({
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  category: TopicCategory,
  agentsNeeded: Schema.Int,
  ttlHours: Schema.Int
}) {}

/** A stored topic. `topicView` computes its current status, because it expires without a write. */
export const TopicRecord = Schema.Struct({
  ...Struct.pick(Topic.fields, ["id", "title", "description", "category", "status", "agentsNeeded", "contributors"]),
  agentId: Schema.NullOr(AgentId),
  handle: Schema.NullOr(Schema.String),
  source: TopicSource,
  flags: Schema.Array(Flag),
  createdAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite
})

export type TopicRecord = typeof TopicRecord.Type
