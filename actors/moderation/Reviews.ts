import { Clock, Data, Effect } from "effect"
import type { Sharding } from "effect/cluster"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { isPeerType, peersUntilMs } from "../../engine/rules/moderation/PeerReview.ts"
import { judgementTriesMax, reviewUndoMin } from "../../engine/rules/moderation/limits.ts"
import { statusAfter, undecided } from "../../engine/rules/moderation/Review.ts"
import { reviewDifferences, reviewVersion } from "../../engine/rules/moderation/ReviewVersion.ts"
import { firstAirTargetHours } from "../../engine/rules/segments/limits.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import type { AgentId, ReviewId, SegmentId } from "../../schema/Ids.ts"
import type {
  Judgement,
  ReviewCard,
  ReviewDecision,
  ReviewKind,
  ReviewStatus,
  SubjectType,
  ReviewRecord
} from "../../schema/moderation/Review.ts"
import {
  NotFound,
  PreconditionFailed,
  ReviewConflict,
  type SegmentNotFound,
  SubjectConflict,
  type TrackNotFound
} from "../../schema/Problems.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { command } from "../runtime/Command.ts"
import { type Act, record } from "../runtime/audit.ts"
import { emit } from "../runtime/emit.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { invitePeers, noteVerdict, takeVerdictBack } from "./PeerVerdicts.ts"
import type { Decide, JudgedType, ReviewOwner, SubjectViews, UndoDecision } from "./protocol.ts"
import { reviewView } from "../../engine/rules/moderation/ReviewView.ts"

/** A card of the review queue with its urgency. */
export interface ReviewRequest extends ReviewCard {
  readonly status?: "open" | "held" | "escalated"
  /** Deadline, if it isn't the usual one. */
  readonly dueAtMs?: number
}
/** Opens a review, in the transaction that stored the subject. A subject has one open review. */
export const askForReview = Effect.fnUntraced(function* ({ dueAtMs, id, status, type, ...card }: ReviewRequest) {
  const nowMs = yield* Clock.currentTimeMillis
  const reviewId = (yield* (yield* IdSource).make("rev")) as ReviewId
  const { agentId, kind } = card
  const opening = (yield* Reviews).open({
    ...card,
    id: reviewId,
    subjectType: type,
    subjectId: id,
    status: status ?? "open",
    dueAtMs: dueAtMs ?? nowMs + firstAirTargetHours * hourMs,
    createdAtMs: nowMs
  })
  const subject = type === "segment" ? { segmentId: id as SegmentId } : { subjectId: id }
  yield* Effect.all([opening, emit({ _tag: "ReviewOpened", reviewId, kind, ...subject, agentId })], {
    concurrency: "unbounded",
    discard: true
  })
  const deadlineMs = peersUntilMs({
    kind,
    subjectType: type,
    status: status ?? "open",
    flags: card.flags,
    createdAtMs: nowMs
  })
  if (deadlineMs !== null && isPeerType(type))
    yield* invitePeers({ subjectType: type, subjectId: id, authorId: agentId, deadlineMs })
})
/** Tells operators that a review was decided or opened again, after the commit. */
const announce = Effect.fnUntraced(function* ({ decidedBy, id, kind, status }: ReviewRecord) {
  const bus = yield* EventBus
  yield* (yield* Transaction).afterCommit(
    Effect.asVoid(bus.publish({ _tag: "ReviewClosed", reviewId: id, kind, status, by: decidedBy }))
  )
})
const undone = { reason: null, note: null, by: null, atMs: null, before: null } as const
/** Withdraws the subject's open review, if any. */
export const withdrawReview = Effect.fnUntraced(function* (type: SubjectType, id: string, reason: string) {
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(type, id)
  if (review === null) return
  const written = yield* reviews.decide(review.id, { ...undone, from: undecided, status: "withdrawn", reason })
  if (written !== null) yield* announce(written)
  yield* noteVerdict(review.id, "withdrawn", null)
})

/** A decision passed to its subject. */
export interface Verdict {
  readonly kind: ReviewKind
  readonly status: ReviewStatus
  readonly reason: string | null
  readonly atMs: number
}
/** Result of a decision. `before` and `after` go to the audit log; an undo gets `kept`, or `before` without it. */
export interface Change {
  readonly before: unknown
  readonly after: unknown
  readonly kept?: unknown
}
/** Cause of a change of state. */
export type Cause = Judgement | "decide" | "undo"

/** A type of reviewed subject: the entity that owns it, and how it applies a decision. */
export interface Reviewable<out Type extends SubjectType, out R> {
  readonly type: Type
  readonly entity: { readonly client: Effect.Effect<(entityId: string) => ReviewOwner, never, Sharding.Sharding> }
  /** Key of the entity: the agent (or the station without one), the subject's id, or the station. */
  readonly key: "agent" | "subject" | "station"
  readonly apply: (review: ReviewRecord, verdict: Verdict) => Effect.Effect<Change, ReviewConflict, R>
  /** Reverts `apply` and answers the subject for the audit log. */
  readonly restore: (review: ReviewRecord, kept: unknown) => Effect.Effect<unknown, ReviewConflict, R>
}
type Missing = NotFound | SegmentNotFound | TrackNotFound
/** A type that operators can also remove, hold and release. `RRead` suffices to find and show a subject outside its entity. */
export interface Removable<out Type extends JudgedType, out R, out RRead> extends Reviewable<Type, R> {
  readonly agentOf: (id: string) => Effect.Effect<AgentId | null, Missing, RRead>
  readonly judge: (
    id: string,
    isOwn: (agentId: AgentId | null) => boolean,
    judgement: Judgement,
    act: Act
  ) => Effect.Effect<void, Missing | SubjectConflict, R>
  readonly view: (id: string) => Effect.Effect<SubjectViews[Type], Missing, RRead>
  /** Removes the subject in the caller's transaction, before or after a decision. */
  readonly takeDown: (id: string, act: Act) => Effect.Effect<Change, SubjectConflict, R>
}

export const isRemovable = <R>(
  kind: Reviewable<SubjectType, R>
): kind is Reviewable<SubjectType, R> & Removable<JudgedType, R, R> => "judge" in kind

const changed = new ReviewConflict({ detail: "It changed in the meantime. Read it again." })
const otherOperator = new ReviewConflict({
  detail: "Another operator decided on it meanwhile. Read it again."
})
/** The subject changed between reading and writing it. */
class Moved extends Data.TaggedError("Moved") {}

interface Found<Type extends SubjectType, Subject, RFind> extends Pick<
  Reviewable<Type, never>,
  "type" | "entity" | "key"
> {
  readonly find: (id: string) => Effect.Effect<Subject | null, never, RFind>
}
interface Steps<Subject, RApply, RRestore> {
  /** Null when the subject no longer waits for this decision. */
  readonly apply: (subject: Subject, verdict: Verdict) => Effect.Effect<Change | null, ReviewConflict, RApply>
  /** Null when the subject has changed since the decision: later changes stand. */
  readonly restore: (
    subject: Subject,
    kept: unknown,
    review: ReviewRecord
  ) => Effect.Effect<unknown, ReviewConflict, RRestore>
}
/** Entry of a type without takedown. */
export const makeReviewable = <Type extends SubjectType, Subject, RFind, RApply, RRestore>({
  apply,
  find,
  restore,
  ...entry
}: Found<Type, Subject, RFind> & Steps<Subject, RApply, RRestore>): Reviewable<Type, RFind | RApply | RRestore> => ({
  ...entry,
  apply: Effect.fnUntraced(function* (review: ReviewRecord, verdict: Verdict) {
    const subject = yield* find(review.subjectId)
    return (subject === null ? null : yield* apply(subject, verdict)) ?? (yield* changed)
  }),
  restore: Effect.fnUntraced(function* (review: ReviewRecord, kept: unknown) {
    const subject = yield* find(review.subjectId)
    return (subject === null ? null : yield* restore(subject, kept, review)) ?? (yield* changed)
  })
})

interface States<Subject, State, RMove> {
  /** The part of the subject that decisions change. */
  readonly state: (subject: Subject) => State
  readonly statusOf: (state: State) => string
  /** Stores the new state with its consequences. False when the subject changed concurrently. */
  readonly move: (subject: Subject, to: State, cause: Cause) => Effect.Effect<boolean, never, RMove>
}
interface Decided<Subject, State, RMove, RMay> extends States<Subject, State, RMove> {
  /** State after a decision. Null when the subject no longer waits for one. */
  readonly applyVerdict: (state: State, verdict: Verdict) => State | null
  /** True when nothing has to be stored. Default: equal statuses. */
  readonly isSame?: (one: State, other: State) => boolean
  /** Additional condition for an undo. */
  readonly canUndo?: (subject: Subject, decidedAtMs: number) => Effect.Effect<boolean, ReviewConflict, RMay>
}
/** `apply` and `restore` for subjects that decisions only move between states. */
export const moveByState = <Subject, State, RMove, RMay = never>({
  applyVerdict,
  isSame,
  canUndo,
  ...states
}: Decided<Subject, State, RMove, RMay>): States<Subject, State, RMove> & Steps<Subject, RMove, RMove | RMay> => {
  const { move, state, statusOf } = states
  const same = isSame ?? ((one: State, other: State) => statusOf(one) === statusOf(other))
  return {
    ...states,
    apply: Effect.fnUntraced(function* (subject: Subject, verdict: Verdict) {
      const before = state(subject)
      const after = applyVerdict(before, verdict)
      const isDone = after !== null && (same(before, after) || (yield* move(subject, after, "decide")))
      return isDone ? { before, after } : null
    }),
    restore: Effect.fnUntraced(function* (
      subject: Subject,
      kept: unknown,
      { decidedAtMs, kind, reason, status }: ReviewRecord
    ) {
      const before = kept as State
      const now = state(subject)
      const left = applyVerdict(before, { kind, status, reason, atMs: decidedAtMs! })
      if (left === null || statusOf(left) !== statusOf(now)) return null
      if (canUndo !== undefined && !(yield* canUndo(subject, decidedAtMs!))) return null
      return same(before, now) || (yield* move(subject, before, "undo")) ? before : null
    })
  }
}

/** NotFound for an unknown id of this kind. */
export const noneOf = (noun: string) => (id: string) => new NotFound({ detail: `There is no ${noun} ${id}.` })
interface Takedown<Type extends JudgedType, Subject, State, RView, RSettle> {
  readonly agentOf: (subject: Subject) => AgentId | null
  /** Review card of a held subject. */
  readonly card: (subject: Subject, publicUrl: string) => ReviewRequest
  /** State after a judgement. Null when the judgement no longer applies. */
  readonly applyJudgement: (
    subject: Subject,
    act: { readonly judgement: Judgement; readonly reason: string | null; readonly atMs: number }
  ) => State | null
  readonly isUnchanged?: (before: State, to: State) => boolean
  /** True when the judgement settled the review itself or needs none. */
  readonly settle?: (subject: Subject, judgement: Judgement, act: Act) => Effect.Effect<boolean, never, RSettle>
  readonly notFound: (id: string) => Missing
  /** Name in the audit log, if it isn't the type. */
  readonly auditName?: string
  readonly view: (subject: Subject) => Effect.Effect<SubjectViews[Type], never, RView>
}
/** Opens a review of a held subject; closes the review of a removed or released one. */
const settleReview = Effect.fnUntraced(function* (card: ReviewRequest, judgement: Judgement, act: Act, atMs: number) {
  if (judgement === "hold") return yield* askForReview({ status: "escalated", ...card })
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(card.type, card.id)
  if (review === null) return
  const status = judgement === "remove" ? "rejected" : "approved"
  const written = yield* reviews.decide(review.id, {
    ...undone,
    from: undecided,
    status,
    reason: act.reason,
    by: act.actor,
    atMs
  })
  if (written !== null) yield* announce(written)
  yield* noteVerdict(review.id, status, act.actor)
})
/** Entry of a type with takedown. */
export const makeRemovable = <
  Type extends JudgedType,
  Subject,
  State,
  RFind,
  RMove,
  RApply,
  RRestore,
  RView,
  RSettle = never
>(
  entry: Found<Type, Subject, RFind> &
    States<Subject, State, RMove> &
    Steps<Subject, RApply, RRestore> &
    Takedown<Type, Subject, State, RView, RSettle>
): Removable<
  Type,
  | RFind
  | RMove
  | RApply
  | RRestore
  | RView
  | RSettle
  | Effect.Services<ReturnType<typeof settleReview | typeof record | typeof render>>,
  RFind | RView
> => {
  const { auditName, card, find, applyJudgement, notFound, move, settle, state, statusOf, type } = entry
  const isUnchanged = entry.isUnchanged ?? ((before: State, to: State) => statusOf(before) === statusOf(to))
  const requireSubject = Effect.fnUntraced(function* (id: string) {
    return (yield* find(id)) ?? (yield* Effect.fail(notFound(id)))
  })
  const attempt = Effect.fnUntraced(function* (
    id: string,
    isOwn: (agentId: AgentId | null) => boolean,
    judgement: Judgement,
    act: Act
  ) {
    const subject = yield* requireSubject(id)
    if (!isOwn(entry.agentOf(subject))) return yield* Effect.fail(notFound(id))
    const atMs = yield* Clock.currentTimeMillis
    const before = state(subject)
    const to = applyJudgement(subject, { judgement, reason: act.reason, atMs })
    const waits = (yield* (yield* Reviews).openFor(type, id)) !== null
    if (to === null)
      return yield* new SubjectConflict({
        detail: `It is ${statusOf(before)}: ${waits ? "decide on its review" : `there is nothing left to ${judgement}`}.`
      })
    // A removal also closes the review of a subject that was already hidden.
    if (isUnchanged(before, to) && !(judgement === "remove" && waits)) return
    yield* command({
      run: Effect.gen(function* () {
        if (!(yield* move(subject, to, judgement))) return yield* new Moved()
        const isSettled = settle !== undefined && (yield* settle(subject, judgement, act))
        if (!isSettled) yield* settleReview(card(subject, (yield* stationFacts).publicUrl), judgement, act, atMs)
        yield* record(act, `${auditName ?? type}.${judgement}`, { type, id }, before, to)
      })
    })
  })
  return {
    ...makeReviewable(entry),
    agentOf: (id) => Effect.map(requireSubject(id), entry.agentOf),
    // The scheduler or the author may change the subject meanwhile: retry on its new state.
    judge: (id, isOwn, judgement, act) =>
      attempt(id, isOwn, judgement, act).pipe(
        Effect.retry({ times: judgementTriesMax, while: (error) => error._tag === "Moved" }),
        Effect.catchTag("Moved", () => Effect.fail(new SubjectConflict({ detail: changed.detail! })))
      ),
    view: (id) => Effect.flatMap(requireSubject(id), entry.view),
    takeDown: Effect.fnUntraced(function* (id, { reason }) {
      const gone = new SubjectConflict({ detail: changed.detail! })
      const subject = (yield* find(id)) ?? (yield* gone)
      const before = state(subject)
      const to = applyJudgement(subject, { judgement: "remove", reason, atMs: yield* Clock.currentTimeMillis })
      if (to === null) return yield* gone
      if (!isUnchanged(before, to) && !(yield* move(subject, to, "remove"))) return yield* gone
      return { before, after: to }
    })
  }
}

interface BeforeDecision {
  readonly review: ReviewStatus
  /** Absent in segment decisions of an earlier version, which kept the subject's fields beside `review`. */
  readonly subject?: unknown
}
const render = Effect.fnUntraced(function* (review: ReviewRecord) {
  return reviewView(review, yield* stationFacts)
})
/** Fails when the review has changed since the version that the operator saw. */
const requireUnchanged = (review: ReviewRecord, version: string | null | undefined) =>
  Effect.suspend(() => {
    const differences = version == null ? null : reviewDifferences(version, review)
    return differences === null
      ? Effect.void
      : Effect.fail(
          new PreconditionFailed({
            detail: "The review has changed since you read it. Read it again, then decide.",
            errors: [{ pointer: "/headers/if-match", code: "PRECONDITION_FAILED", detail: "is an older version" }],
            version: reviewVersion(review),
            differences
          })
        )
  })
interface Decision extends Act {
  readonly decision: ReviewDecision
  readonly note: string | null
}
/** Stores a decision on an undecided review and its consequences, in the caller's transaction. */
export const carryOut = Effect.fnUntraced(function* <R>(
  kind: Reviewable<SubjectType, R>,
  review: ReviewRecord,
  { actor, decision, note, reason }: Decision
) {
  const act = { actor, reason }
  const status = statusAfter[decision]
  const atMs = yield* Clock.currentTimeMillis
  const { after, before, kept } = yield* kind.apply(review, { kind: review.kind, status, reason: act.reason, atMs })
  const written = yield* (yield* Reviews).decide(review.id, {
    from: undecided,
    status,
    reason: act.reason,
    note,
    by: act.actor,
    atMs,
    before: { review: review.status, subject: kept ?? before } satisfies BeforeDecision
  })
  if (written === null) return yield* otherOperator
  yield* announce(written)
  yield* record(act, `review.${decision}`, { type: review.subjectType, id: review.subjectId }, before, after)
  return written
})
/** An operator's decision. A repeat changes nothing. */
export const decide = Effect.fnUntraced(function* <R>(
  kind: Reviewable<SubjectType, R>,
  review: ReviewRecord,
  message: Decide
) {
  yield* requireUnchanged(review, message.seen)
  if (review.status === statusAfter[message.decision]) return yield* render(review)
  if (!undecided.includes(review.status))
    return yield* new ReviewConflict({
      detail: `This review was ${review.status} by ${review.decidedBy ?? "the station"}. Undo that first.`
    })
  return yield* command({
    run: Effect.gen(function* () {
      const written = yield* carryOut(kind, review, message)
      yield* noteVerdict(review.id, written.status, message.actor)
      return yield* render(written)
    })
  })
})
/** Reverses a decision in the caller's transaction: takes the subject down, or undoes the decision and makes the opposite one. */
export const overturn = Effect.fnUntraced(function* <R>(
  kind: Reviewable<SubjectType, R>,
  review: ReviewRecord,
  to: "approved" | "denied",
  act: Act
): Effect.fn.Return<
  Change,
  ReviewConflict | SubjectConflict,
  R | Reviews | Effect.Services<ReturnType<typeof announce>>
> {
  const status = to === "approved" ? "approved" : "rejected"
  const atMs = yield* Clock.currentTimeMillis
  const kept = (review.beforeDecision as BeforeDecision | null)?.subject
  const change =
    status === "rejected" && isRemovable(kind)
      ? yield* kind.takeDown(review.subjectId, act)
      : yield* Effect.andThen(
          kind.restore(review, kept),
          kind.apply(review, { kind: review.kind, status, reason: act.reason, atMs })
        )
  const decision = { reason: act.reason, note: review.note, by: act.actor, atMs, before: null }
  const written = yield* (yield* Reviews).decide(review.id, { from: [review.status], status, ...decision })
  if (written === null) return yield* otherOperator
  yield* announce(written)
  return change
})
/** Reverts a decision within `reviewUndoMin` minutes. */
export const undo = Effect.fnUntraced(function* <R>(
  kind: Reviewable<SubjectType, R>,
  review: ReviewRecord,
  { seen: version, ...act }: UndoDecision
) {
  yield* requireUnchanged(review, version)
  const before = review.beforeDecision as BeforeDecision | null
  if (before === null || review.decidedAtMs === null)
    return yield* new ReviewConflict({ detail: "There is no decision to undo." })
  if ((yield* Clock.currentTimeMillis) - review.decidedAtMs > reviewUndoMin * 60_000)
    return yield* new ReviewConflict({
      detail: `A decision can be undone for ${reviewUndoMin} minutes. Hold or remove the subject instead.`
    })
  return yield* command({
    run: Effect.gen(function* () {
      const after = yield* kind.restore(review, "subject" in before ? before.subject : before)
      const written = yield* (yield* Reviews).decide(review.id, {
        ...undone,
        from: [review.status],
        status: before.review
      })
      if (written === null) return yield* otherOperator
      yield* announce(written)
      const subject = { type: review.subjectType, id: review.subjectId }
      yield* record(act, "review.undo", subject, { status: review.status }, after)
      yield* takeVerdictBack(review.id, written.status)
      return yield* render(written)
    })
  })
})
