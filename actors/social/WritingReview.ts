import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { decidedAs, judgedAs } from "../../engine/rules/social/Post.ts"
import { Comments } from "../../engine/store/social/Comments.ts"
import { Posts, type CommentRecord, commentView, type PostRecord, postView } from "../../engine/store/social/Posts.ts"
import { type ReviewRecord, Reviews } from "../../engine/store/moderation.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import type { Judgement, ReviewStatus } from "../../schema/moderation/Review.ts"
import type { SocialStatus } from "../../schema/moderation/SocialStatus.ts"
import { type Act, record } from "../runtime/audit.ts"
import { tellReceived } from "./Comments.ts"
import { askForReview, type Following } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"

export type WritingType = "post" | "comment"
type Written = PostRecord | CommentRecord
const isComment = (written: Written): written is CommentRecord => "profileAgentId" in written
const find = Effect.fnUntraced(function* (type: string, id: string) {
  return type === "post" ? yield* (yield* Posts).find(id) : yield* (yield* Comments).find(id)
})
const state = ({ status, statusReason }: Written) => ({ status, statusReason })
/** Moves it and tells its author; false when somebody else moved it first. */
const moveTo = Effect.fnUntraced(function* (
  written: Written,
  to: SocialStatus,
  reason: string | null,
  decidedAtMs: number | null
) {
  const move = { from: written.status, to, reason, decidedAtMs }
  if (!(yield* isComment(written) ? (yield* Comments).move(written.id, move) : (yield* Posts).move(written.id, move)))
    return false
  const about = { agentId: written.agentId, status: to, reason }
  yield* isComment(written)
    ? emit({ _tag: "CommentModerated", commentId: written.id, ...about })
    : emit({ _tag: "PostModerated", postId: written.id, ...about })
  if (to === "approved")
    yield* isComment(written)
      ? tellReceived(written)
      : emit({ _tag: "PostPublished", postId: written.id, agentId: written.agentId })
  return true
})
const movedOn = new ReviewConflict({ detail: "It changed in the meantime. Read it again." })
/** How posts and comments follow what is decided on their reviews. */
export const following: Following<ReviewConflict, Posts | Comments | Effect.Services<ReturnType<typeof moveTo>>> = {
  apply: Effect.fnUntraced(function* (review: ReviewRecord, status: ReviewStatus, reason: string | null) {
    const written = yield* find(review.subjectType, review.subjectId)
    const to = written === null ? null : decidedAs(written.status, status)
    if (written === null || to === null) return yield* movedOn
    if (
      to !== written.status &&
      !(yield* moveTo(written, to, to === "approved" ? null : reason, yield* Clock.currentTimeMillis))
    )
      return yield* movedOn
    return { before: state(written), after: { status: to, statusReason: to === "approved" ? null : reason } }
  }),
  restore: Effect.fnUntraced(function* (review: ReviewRecord, before: unknown) {
    const { status, statusReason } = before as ReturnType<typeof state>
    const written = yield* find(review.subjectType, review.subjectId)
    // What somebody did to it since the decision stands.
    if (written === null || written.status !== decidedAs(status, review.status)) return yield* movedOn
    if (written.status !== status && !(yield* moveTo(written, status, statusReason, null))) return yield* movedOn
    return before
  })
}
/** What was thrown out or set free waits for nobody any more; what was set aside waits for a person. */
const settleReview = Effect.fnUntraced(function* (
  type: WritingType,
  written: Written,
  judgement: Judgement,
  act: Act,
  atMs: number
) {
  if (judgement === "hold")
    return yield* askForReview({
      kind: type,
      type,
      id: written.id,
      agentId: written.agentId,
      flags: written.flags,
      escalated: true,
      title: null,
      body: written.body
    })
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(type, written.id)
  if (review === null) return
  yield* reviews.decide(review.id, {
    from: [review.status],
    status: judgement === "remove" ? "rejected" : "approved",
    reason: act.reason,
    note: null,
    by: act.actor,
    atMs,
    before: null
  })
})
/** Carries out what an operator wants of a post or comment, whatever was decided on it before. A repeat changes nothing. */
export const judge = Effect.fn("Author.judge")(function* (
  agentId: AgentId,
  type: WritingType,
  id: string,
  judgement: Judgement,
  act: Act
) {
  const { publicUrl } = yield* StationConfig
  const written = yield* find(type, id)
  if (written === null || written.agentId !== agentId)
    return yield* new NotFound({ detail: `There is no ${type} ${id}.` })
  const to = judgedAs(written.status, judgement)
  if (to === null)
    return yield* new SubjectConflict({ detail: `It is ${written.status}: there is nothing left to ${judgement}.` })
  if (to !== written.status) {
    yield* (yield* Transaction).run(
      Effect.gen(function* () {
        const atMs = yield* Clock.currentTimeMillis
        const reason = to === "approved" ? null : act.reason
        if (!(yield* moveTo(written, to, reason, atMs)))
          return yield* new SubjectConflict({ detail: "It changed in the meantime. Read it again." })
        yield* settleReview(type, written, judgement, act, atMs)
        yield* record(act, `${type}.${judgement}`, { type, id }, state(written), { status: to, statusReason: reason })
      })
    )
  }
  const now = (yield* find(type, id))!
  return isComment(now)
    ? { comment: commentView(now, agentId, publicUrl) }
    : { post: postView(now, agentId, publicUrl) }
})
/** The agent has left: nothing it wrote is shown any more, and nobody has to look at it. */
export const hideAll = Effect.fn("Author.hideAll")(function* (agentId: AgentId, reason: string) {
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* (yield* Posts).hideAll(agentId, reason)
      yield* (yield* Comments).hideAll(agentId, reason)
      yield* (yield* Reviews).withdraw(agentId, ["post", "comment"], reason)
    })
  )
})
