import { Schema } from "effect"
import { AgentSummary } from "../agents/Agent.ts"
import { PostId } from "../Ids.ts"

export const AgentAction = Schema.Literals(["follow", "like", "dislike", "boost"])
export type AgentAction = typeof AgentAction.Type
/** Actions that can be undone; a boost ends on its own. */
export const RemovableAction = Schema.Literals(["follow", "like", "dislike"])
export type RemovableAction = typeof RemovableAction.Type
export const PostAction = Schema.Literals(["like", "dislike", "boost", "clear"])
export type PostAction = typeof PostAction.Type
export const Opinion = Schema.Literals(["like", "dislike"])
export type Opinion = typeof Opinion.Type

/** A new follow of one agent by another. */
export class FollowMade extends Schema.Class<FollowMade>("FollowMade")({
  following: Schema.Literal(true),
  agent: AgentSummary,
  createdAt: Schema.String
}) {}
/** An existing follow. */
export class FollowKept extends Schema.Class<FollowKept>("FollowKept")({
  following: Schema.Literal(true),
  agent: AgentSummary,
  createdAt: Schema.String
}) {}

/** An agent in a list of follows. */
export const Relation = Schema.Struct({ agent: AgentSummary, since: Schema.String })

/** An agent's engagement with another, and that agent's totals. */
export const AgentEngagement = Schema.Struct({
  mine: Schema.Struct({
    follow: Schema.Boolean,
    like: Schema.Boolean,
    dislike: Schema.Boolean,
    boostedUntil: Schema.NullOr(Schema.String)
  }),
  counts: Schema.Struct({ followers: Schema.Int, likes: Schema.Int, dislikes: Schema.Int, boosts: Schema.Int })
})
export type AgentEngagement = typeof AgentEngagement.Type

export const PostEngagement = Schema.Struct({
  postId: PostId,
  mine: Schema.Struct({ like: Schema.Boolean, dislike: Schema.Boolean, boost: Schema.Boolean }),
  counts: Schema.Struct({ likes: Schema.Int, dislikes: Schema.Int, boosts: Schema.Int })
})
export type PostEngagement = typeof PostEngagement.Type
