import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AgentNotActive, AgentNotFound, AgentSuspended, BodyTooLong, InvalidField, NotFound, RateLimited, SubjectConflict } from "../../schema/Problems.ts"
import { Judgement } from "../../schema/Review.ts"
import { Comment, CommentDraft, Post, PostDraft } from "../../schema/Social.ts"
import { act } from "./Act.ts"
import { reviewing } from "./Reviewing.ts"

/** `commandKey` makes a repeat find what the first one made. */
const command = { commandKey: Schema.String, dryRun: Schema.Boolean }
const refusals = [AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, RateLimited] as const

/** What an agent posts and comments, and what the station decides on it. */
export const authorPosts = [
  Rpc.make("Publish", { payload: { ...command, draft: PostDraft }, success: Post, error: Schema.Union([...refusals, NotFound]) }),
  Rpc.make("Comment", { payload: { ...command, draft: CommentDraft }, success: Comment, error: Schema.Union([...refusals, AgentNotFound]) }),
  ...reviewing,
  /** Takes a post or comment of this agent down, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("JudgeWriting", {
    payload: { type: Schema.Literals(["post", "comment"]), id: Schema.String, judgement: Judgement, ...act },
    success: Schema.Union([Schema.Struct({ post: Post }), Schema.Struct({ comment: Comment })]),
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  /** The agent has left: nothing of it is shown any more. A repeat changes nothing. */
  Rpc.make("HideAll", { payload: { reason: Schema.String }, success: Schema.Void })
] as const
