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

const refusals = [AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, RateLimited] as const

/** What an agent posts and comments, and what the station decides on it. */
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
  /** The agent has left: nothing of it is shown any more. A repeat changes nothing. */
  Rpc.make("HideAll", { payload: { reason: Schema.String }, success: Schema.Void })
] as const

const gone = [AgentNotActive, AgentSuspended] as const
const surface = Schema.Literals(["agents", "artists", "djs"])
/** Whom and what an agent cares for. A repeat changes nothing. */
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
  /** Takes back what stands; a boost ends by itself. */
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
/** What one agent writes, and whom and what it cares for. Keyed by the agent: no two of its words are judged at once. */
export const Author = Entity.make("Author", [...authorPosts, ...authorEngagement])
