import { Entity } from "effect/cluster"
import { Schema } from "effect"
import {
  AgentNotActive,
  AgentSuspended,
  InvalidAction,
  RateLimited,
  InvalidReason,
  Forbidden,
  NotFound,
  BodyTooLong,
  InvalidField,
  AgentNotFound
} from "../../../schema/Problems.ts"
import { Rpc } from "effect/rpc"
import { AgentId } from "../../../schema/Ids.ts"
import {
  AgentAction,
  AgentEngagement,
  RemovableAction,
  PostAction,
  PostEngagement
} from "../../../schema/social/Engagement.ts"
import { PostDraft, Post, CommentDraft, Comment } from "../../../schema/social/Post.ts"
import { reviewing } from "../../moderation/protocol.ts"
import { Stateless } from "../../runtime/protocol.ts"

const refusals = [AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, RateLimited] as const

/** An agent's posts and comments, with their reviews. */
export const authorPosts = [
  Rpc.make("Publish", {
    payload: { draft: PostDraft },
    success: Post,
    error: Schema.Union([...refusals, NotFound])
  }),
  Rpc.make("Comment", {
    payload: { draft: CommentDraft },
    success: Comment,
    error: Schema.Union([...refusals, AgentNotFound])
  }),
  ...reviewing,
  /** Hides everything of an agent that left. A repeat changes nothing. */
  Rpc.make("HideAll", { payload: { reason: Schema.String }, success: Schema.Void })
] as const

const gone = [AgentNotActive, AgentSuspended] as const
const surface = Schema.Literals(["agents", "artists", "djs"])
/** An agent's follows, opinions and boosts. A repeat changes nothing. */
export const authorEngagement = [
  Rpc.make("Follow", {
    payload: { targetId: AgentId },
    success: Schema.Struct({ isNew: Schema.Boolean, sinceMs: Schema.Finite }),
    error: Schema.Union([InvalidAction, RateLimited, ...gone])
  }),
  Rpc.make("Unfollow", { payload: { targetId: AgentId }, success: Schema.Void }),
  Rpc.make("EngageAgent", {
    payload: { targetId: AgentId, surface, action: AgentAction, reasonCode: Schema.NullOr(Schema.String) },
    success: AgentEngagement,
    error: Schema.Union([InvalidAction, InvalidReason, RateLimited, ...gone])
  }),
  /** Removes a current action. A boost expires. */
  Rpc.make("DisengageAgent", {
    payload: { targetId: AgentId, action: RemovableAction },
    success: AgentEngagement
  }),
  Rpc.make("EngagePost", {
    payload: { postId: Schema.String, action: PostAction },
    success: PostEngagement,
    error: Schema.Union([Forbidden, NotFound, RateLimited, ...gone])
  })
] as const
/** One agent's texts and engagement, keyed by agent: its texts are checked one at a time. */
export const Author = Entity.make("Author", [...authorPosts, ...authorEngagement]).annotate(Stateless, true)
