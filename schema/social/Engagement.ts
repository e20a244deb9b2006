import { Schema } from "effect"
import { AgentSummary } from "../agents/Agent.ts"
import { PostId } from "../Ids.ts"

export const AgentAction = Schema.Literals(["follow", "like", "dislike", "boost"])
export type AgentAction = typeof AgentAction.Type
/** What can be taken back: a boost ends by itself. */
export const RemovableAction = Schema.Literals(["follow", "like", "dislike"])
export type RemovableAction = typeof RemovableAction.Type
export const PostAction = Schema.Literals(["like", "dislike", "boost", "clear"])
export type PostAction = typeof PostAction.Type
export const Opinion = Schema.Literals(["like", "dislike"])
export type Opinion = typeof Opinion.Type

/** One agent's following of another, made by this very command. */
export class FollowMade extends Schema.Class<FollowMade>("FollowMade")({
  following: Schema.Literal(true),
  agent: AgentSummary,
  createdAt: Schema.String
}) {}
/** The same, where it stood already. */
export class FollowKept extends Schema.Class<FollowKept>("FollowKept")({
  following: Schema.Literal(true),
  agent: AgentSummary,
  createdAt: Schema.String
}) {}

/** Somebody whom an agent follows, or who follows it. */
export const Relation = Schema.Struct({ agent: AgentSummary, since: Schema.String })

/** How an agent stands to another, and what all others think of that one. */
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
