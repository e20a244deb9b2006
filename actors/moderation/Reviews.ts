import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { reviewUndoMin } from "../../engine/rules/moderation/limits.ts"
import { firstAirTargetHours } from "../../engine/rules/segments/limits.ts"
import { statusAfter, undecided } from "../../engine/rules/moderation/Review.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { type ReviewRecord, Reviews, reviewView } from "../../engine/store/moderation.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, ReviewId } from "../../schema/Ids.ts"
import type { Flag } from "../../schema/moderation/Precheck.ts"
import { NotFound, ReviewConflict } from "../../schema/Problems.ts"
import type { Review, ReviewDecision, ReviewKind, ReviewStatus } from "../../schema/moderation/Review.ts"
import { type Act, record } from "../runtime/audit.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { emit } from "../runtime/emit.ts"

/** What waits for a person of the station: anything but a segment, whose reviews carry the first-air gate as well. */
export interface Reviewable {
  readonly kind: ReviewKind
  readonly type: string
  readonly id: string
  /** Null for what a listener sent. */
  readonly agentId: AgentId | null
  readonly flags: ReadonlyArray<Flag>
  readonly escalated: boolean
  readonly title: string | null
  readonly body: string
  /** By when it has to be decided, where that isn't the station's usual promise. */
  readonly dueAtMs?: number
}
/** Asks a person of the station to look at it, within the transaction that stored it. A subject has one open review. */
export const askForReview = Effect.fnUntraced(function* ({
  agentId,
  body,
  dueAtMs,
  escalated,
  flags,
  id,
  kind,
  title,
  type
}: Reviewable) {
  const nowMs = yield* Clock.currentTimeMillis
  const reviewId = (yield* (yield* IdSource).make("rev")) as ReviewId
  yield* (yield* Reviews).open({
    id: reviewId,
    kind,
    subjectType: type,
    subjectId: id,
    agentId,
    flags,
    status: escalated ? "escalated" : "open",
    title,
    body,
    dueAtMs: dueAtMs ?? nowMs + firstAirTargetHours * hourMs,
    createdAtMs: nowMs
  })
  yield* emit({ _tag: "ReviewOpened", reviewId, kind, subjectId: id, agentId })
})
/** Nobody has to look at it any more. */
export const withdrawReview = Effect.fnUntraced(function* (type: string, id: string, reason: string) {
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(type, id)
  if (review !== null)
    yield* reviews.decide(review.id, {
      from: undecided,
      status: "withdrawn",
      reason,
      note: null,
      by: null,
      atMs: null,
      before: null
    })
})
/** How a noun follows a decision: what it was before and what it is now, for the audit log and for an undo. */
export interface Following<E, R> {
  readonly apply: (
    review: ReviewRecord,
    status: ReviewStatus,
    reason: string | null
  ) => Effect.Effect<{ readonly before: unknown; readonly after: unknown }, E, R>
  readonly restore: (review: ReviewRecord, before: unknown) => Effect.Effect<unknown, E, R>
}
/** One about something of this agent's; of a listener's for null. */
const reviewOf = Effect.fnUntraced(function* (agentId: AgentId | null, reviewId: string) {
  const review = yield* (yield* Reviews).find(reviewId)
  return review === null || review.agentId !== agentId
    ? yield* new NotFound({ detail: `There is no review ${reviewId}.` })
    : review
})
const seen = (review: ReviewRecord): Effect.Effect<Review, never, Effect.Services<typeof stationFacts>> =>
  Effect.map(stationFacts, (facts) => reviewView(review, facts))
interface BeforeDecision {
  readonly review: ReviewStatus
  readonly subject: unknown
}
/** A person's decision and all that follows from it, as one write. The same decision again changes nothing. */
export const decideReview = Effect.fnUntraced(function* <E, R>(
  agentId: AgentId | null,
  reviewId: string,
  decision: ReviewDecision,
  note: string | null,
  act: Act,
  following: Following<E, R>
) {
  const review = yield* reviewOf(agentId, reviewId)
  const status = statusAfter[decision]
  if (review.status === status) return yield* seen(review)
  if (!undecided.includes(review.status))
    return yield* new ReviewConflict({
      detail: `This review was ${review.status} by ${review.decidedBy ?? "the station"}. Undo that first.`
    })
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const { after, before } = yield* following.apply(review, status, act.reason)
      const kept: BeforeDecision = { review: review.status, subject: before }
      const written = yield* (yield* Reviews).decide(review.id, {
        from: undecided,
        status,
        reason: act.reason,
        note,
        by: act.actor,
        atMs: yield* Clock.currentTimeMillis,
        before: kept
      })
      if (written === null)
        return yield* new ReviewConflict({
          detail: "Another operator decided on it at the same moment. Read it again."
        })
      yield* record(act, `review.${decision}`, { type: review.subjectType, id: review.subjectId }, before, after)
      return yield* seen(written)
    })
  )
})
/** Takes a decision back within ten minutes. */
export const undoReview = Effect.fnUntraced(function* <E, R>(
  agentId: AgentId | null,
  reviewId: string,
  act: Act,
  following: Following<E, R>
) {
  const review = yield* reviewOf(agentId, reviewId)
  const nowMs = yield* Clock.currentTimeMillis
  const before = review.beforeDecision as BeforeDecision | null
  if (before === null || review.decidedAtMs === null)
    return yield* new ReviewConflict({ detail: "There is no decision to undo." })
  if (nowMs - review.decidedAtMs > reviewUndoMin * 60_000)
    return yield* new ReviewConflict({
      detail: `A decision can be undone for ${reviewUndoMin} minutes. Hold or remove the subject instead.`
    })
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const after = yield* following.restore(review, before.subject)
      const written = yield* (yield* Reviews).decide(review.id, {
        from: [review.status],
        status: before.review,
        reason: null,
        note: null,
        by: null,
        atMs: null,
        before: null
      })
      if (written === null)
        return yield* new ReviewConflict({
          detail: "Another operator decided on it at the same moment. Read it again."
        })
      yield* record(
        act,
        "review.undo",
        { type: review.subjectType, id: review.subjectId },
        { status: review.status },
        after
      )
      return yield* seen(written)
    })
  )
})
