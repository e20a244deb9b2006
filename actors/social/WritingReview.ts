import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  applyReviewWithReason,
  applyJudgementWithReason,
  writingCard,
  type WritingState
} from "../../engine/rules/social/Post.ts"
import { Comments, CommentsWriter } from "../../engine/store/social/Comments.ts"
import { Posts, PostsWriter } from "../../engine/store/social/Posts.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { moveByState, type Cause, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"
import { tellReceived } from "./Comments.ts"
import { Author } from "./protocol/Author.ts"
import type { CommentRecord, PostRecord } from "../../schema/social/Post.ts"
import { commentView, postView } from "../../engine/rules/social/PostView.ts"

/** Common part of the reviews of posts and comments. */
const reviewableWriting = <Written extends PostRecord | CommentRecord, RMove>(
  type: "post" | "comment",
  move: (written: Written, to: WritingState, cause: Cause) => Effect.Effect<boolean, never, RMove>
) => ({
  entity: Author,
  key: "agent" as const,
  notFound: noneOf(type),
  agentOf: ({ agentId }: Written): AgentId => agentId,
  card: (written: Written) => writingCard(type, written),
  applyJudgement: applyJudgementWithReason,
  ...moveByState({
    state: ({ status, statusReason }: Written): WritingState => ({ status, statusReason }),
    statusOf: ({ status }) => status,
    applyVerdict: applyReviewWithReason,
    move
  })
})
const decisionTimeOf = (cause: Cause) => (cause === "undo" ? Effect.succeed(null) : Clock.currentTimeMillis)

/** Reviews of posts. Every change is emitted to the author. */
export const postReview = makeRemovable({
  type: "post",
  find: (id) => Effect.flatMap(Posts, (posts) => posts.find(id)),
  view: (post) => Effect.map(StationConfig, ({ publicUrl }) => ({ post: postView(post, post.agentId, publicUrl) })),
  ...reviewableWriting("post", (post: PostRecord, { status, statusReason: reason }, cause) =>
    Effect.gen(function* () {
      const { agentId, id: postId } = post
      const move = { from: post.status, to: status, reason, decidedAtMs: yield* decisionTimeOf(cause) }
      if (!(yield* (yield* PostsWriter).move(postId, move))) return false
      yield* emit({ _tag: "PostModerated", postId, agentId, status, reason })
      if (status === "approved") yield* emit({ _tag: "PostPublished", postId, agentId })
      return true
    })
  )
})

/** Reviews of comments. */
export const commentReview = makeRemovable({
  type: "comment",
  find: (id) => Effect.flatMap(Comments, (comments) => comments.find(id)),
  view: (comment) =>
    Effect.map(StationConfig, ({ publicUrl }) => ({ comment: commentView(comment, comment.agentId, publicUrl) })),
  ...reviewableWriting("comment", (comment: CommentRecord, { status, statusReason: reason }, cause) =>
    Effect.gen(function* () {
      const { agentId, id: commentId } = comment
      const move = { from: comment.status, to: status, reason, decidedAtMs: yield* decisionTimeOf(cause) }
      if (!(yield* (yield* CommentsWriter).move(commentId, move))) return false
      yield* emit({ _tag: "CommentModerated", commentId, agentId, status, reason })
      if (status === "approved") yield* tellReceived(comment)
      return true
    })
  )
})

/** Hides an agent's posts and comments and withdraws their reviews. */
export const hideAll = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* (yield* PostsWriter).hideAll(agentId, reason)
      yield* (yield* CommentsWriter).hideAll(agentId, reason)
      yield* (yield* Reviews).withdraw(agentId, ["post", "comment"], reason)
    })
  )
})
