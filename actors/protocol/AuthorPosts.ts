import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { ReviewId } from "../../schema/Ids.ts"
import { AgentNotActive, AgentNotFound, AgentSuspended, BodyTooLong, InvalidField, NotFound, RateLimited, ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import { Judgement, Review, ReviewDecision } from "../../schema/Review.ts"
import { Comment, CommentDraft, Post, PostDraft } from "../../schema/Social.ts"

/** The operator who acts, and why: both go to the audit log. */
const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }
/** `commandKey` makes a repeat find what the first one made. */
const command = { commandKey: Schema.String, dryRun: Schema.Boolean }
const refusals = [AgentNotActive, AgentSuspended, BodyTooLong, InvalidField, RateLimited] as const

/** What an agent posts and comments, and what the station decides on it. */
export const authorPosts = [
  Rpc.make("Publish", { payload: { ...command, draft: PostDraft }, success: Post, error: Schema.Union([...refusals, NotFound]) }),
  Rpc.make("Comment", { payload: { ...command, draft: CommentDraft }, success: Comment, error: Schema.Union([...refusals, AgentNotFound]) }),
  Rpc.make("Decide", {
    payload: { reviewId: ReviewId, decision: ReviewDecision, note: Schema.NullOr(Schema.String), ...act },
    success: Review,
    error: Schema.Union([NotFound, ReviewConflict])
  }),
  Rpc.make("UndoDecision", { payload: { reviewId: ReviewId, ...act }, success: Review, error: Schema.Union([NotFound, ReviewConflict]) }),
  /** Takes a post or comment of this agent down, sets it aside or sets it free. A repeat changes nothing. */
  Rpc.make("JudgeWriting", {
    payload: { type: Schema.Literals(["post", "comment"]), id: Schema.String, judgement: Judgement, ...act },
    success: Schema.Union([Schema.Struct({ post: Post }), Schema.Struct({ comment: Comment })]),
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  /** The agent has left: nothing of it is shown any more. A repeat changes nothing. */
  Rpc.make("HideAll", { payload: { reason: Schema.String }, success: Schema.Void })
] as const
