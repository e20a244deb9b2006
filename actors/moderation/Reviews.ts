import { Clock, Data, Effect } from "effect"
import type { Sharding } from "effect/cluster"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { judgementTriesMax, reviewUndoMin } from "../../engine/rules/moderation/limits.ts"
import { statusAfter, undecided } from "../../engine/rules/moderation/Review.ts"
import { firstAirTargetHours } from "../../engine/rules/segments/limits.ts"
import { Reviews } from "../../engine/store/moderation.ts"
import type { AgentId, ReviewId, SegmentId } from "../../schema/Ids.ts"
import type {
  Judgement,
  ReviewCard,
  ReviewKind,
  ReviewStatus,
  SubjectType,
  ReviewRecord
} from "../../schema/moderation/Review.ts"
import {
  NotFound,
  ReviewConflict,
  type SegmentNotFound,
  SubjectConflict,
  type TrackNotFound
} from "../../schema/Problems.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { command } from "../runtime/Command.ts"
import { type Act, record } from "../runtime/audit.ts"
import { emit } from "../runtime/emit.ts"
import type { Decide, Judge, JudgedType, ReviewOwner, SubjectViews, UndoDecision } from "./protocol.ts"
import { reviewView } from "../../engine/rules/moderation/ReviewView.ts"

/** A card for the queue, and how urgent it is. */
export interface ReviewRequest extends ReviewCard {
  readonly status?: "open" | "held" | "escalated"
  /** By when it has to be decided, where that isn't the station's usual promise. */
  readonly dueAtMs?: number
}
/** Asks a person of the station to look at a subject, within the transaction that stored it. A subject has one open review. */
export const askForReview = Effect.fnUntraced(function* ({ dueAtMs, id, status, type, ...card }: ReviewRequest) {
  const nowMs = yield* Clock.currentTimeMillis
  const reviewId = (yield* (yield* IdSource).make("rev")) as ReviewId
  const { agentId, kind } = card
  yield* (yield* Reviews).open({
    ...card,
    id: reviewId,
    subjectType: type,
    subjectId: id,
    status: status ?? "open",
    dueAtMs: dueAtMs ?? nowMs + firstAirTargetHours * hourMs,
    createdAtMs: nowMs
  })
  const subject = type === "segment" ? { segmentId: id as SegmentId } : { subjectId: id }
  yield* emit({ _tag: "ReviewOpened", reviewId, kind, ...subject, agentId })
})
const undone = { reason: null, note: null, by: null, atMs: null, before: null } as const
/** Closes the open review of a subject, if it has one: nobody has to look at it any more. */
export const withdrawReview = Effect.fnUntraced(function* (type: SubjectType, id: string, reason: string) {
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(type, id)
  if (review !== null) yield* reviews.decide(review.id, { ...undone, from: undecided, status: "withdrawn", reason })
})

/** A decision as its subject follows it. */
export interface Verdict {
  readonly kind: ReviewKind
  readonly status: ReviewStatus
  readonly reason: string | null
  readonly atMs: number
}
/** What came of a decision. The audit log takes `before` and `after`; an undo gets `kept`, or else `before`. */
export interface Change {
  readonly before: unknown
  readonly after: unknown
  readonly kept?: unknown
}
/** Why a subject moves. */
export type Cause = Judgement | "decide" | "undo"

/** One type of subject that people of the station decide on: the entity that owns it, and how it follows a decision. */
export interface Reviewable<out Type extends SubjectType, out R> {
  readonly type: Type
  readonly entity: { readonly client: Effect.Effect<(entityId: string) => ReviewOwner, never, Sharding.Sharding> }
  /** The key of its entity: its agent (the station where it has none), its own id, or the station. */
  readonly key: "agent" | "subject" | "station"
  readonly apply: (review: ReviewRecord, verdict: Verdict) => Effect.Effect<Change, ReviewConflict, R>
  /** Puts back what `apply` changed; answers the subject for the audit log. */
  readonly restore: (review: ReviewRecord, kept: unknown) => Effect.Effect<unknown, ReviewConflict, R>
}
type Missing = NotFound | SegmentNotFound | TrackNotFound
/** One that operators can take down as well, set aside and set free. `RRead` is enough to find and show it outside its entity. */
export interface Removable<out Type extends JudgedType, out R, out RRead> extends Reviewable<Type, R> {
  readonly agentOf: (id: string) => Effect.Effect<AgentId | null, Missing, RRead>
  readonly judge: (
    id: string,
    isOwn: (agentId: AgentId | null) => boolean,
    judgement: Judgement,
    act: Act
  ) => Effect.Effect<void, Missing | SubjectConflict, R>
  readonly view: (id: string) => Effect.Effect<SubjectViews[Type], Missing, RRead>
}

const changed = new ReviewConflict({ detail: "It changed in the meantime. Read it again." })
const otherOperator = new ReviewConflict({
  detail: "Another operator decided on it at the same moment. Read it again."
})
/** Somebody else moved the subject between reading and writing it. */
class Moved extends Data.TaggedError("Moved") {}

interface Found<Type extends SubjectType, Subject, RFind> extends Pick<
  Reviewable<Type, never>,
  "type" | "entity" | "key"
> {
  readonly find: (id: string) => Effect.Effect<Subject | null, never, RFind>
}
interface Steps<Subject, RApply, RRestore> {
  /** Null where the subject no longer waits for this decision. */
  readonly apply: (subject: Subject, verdict: Verdict) => Effect.Effect<Change | null, ReviewConflict, RApply>
  /** Null where what the decision made is no longer so: later changes stand. */
  readonly restore: (
    subject: Subject,
    kept: unknown,
    review: ReviewRecord
  ) => Effect.Effect<unknown, ReviewConflict, RRestore>
}
/** An entry for a type that is only decided on. */
export const reviewable = <Type extends SubjectType, Subject, RFind, RApply, RRestore>({
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
  /** As far as decisions change the subject. */
  readonly state: (subject: Subject) => State
  readonly statusOf: (state: State) => string
  /** Writes the new state with everything that follows from it; false where somebody else moved the subject first. */
  readonly move: (subject: Subject, to: State, cause: Cause) => Effect.Effect<boolean, never, RMove>
}
interface Decided<Subject, State, RMove, RMay> extends States<Subject, State, RMove> {
  /** Where a decision leads; null where the subject no longer waits for one. */
  readonly decided: (state: State, verdict: Verdict) => State | null
  /** Are these the same for the subject, so that nothing has to move? By default, if their statuses are. */
  readonly isSame?: (one: State, other: State) => boolean
  /** Whether a decision can be taken back, beside that the subject is as the decision left it. */
  readonly mayUndo?: (subject: Subject) => Effect.Effect<boolean, ReviewConflict, RMay>
}
/** How a subject follows decisions that only move it from one state to another. */
export const byState = <Subject, State, RMove, RMay = never>({
  decided,
  isSame,
  mayUndo,
  ...states
}: Decided<Subject, State, RMove, RMay>): States<Subject, State, RMove> & Steps<Subject, RMove, RMove | RMay> => {
  const { move, state, statusOf } = states
  const same = isSame ?? ((one: State, other: State) => statusOf(one) === statusOf(other))
  return {
    ...states,
    apply: Effect.fnUntraced(function* (subject: Subject, verdict: Verdict) {
      const before = state(subject)
      const after = decided(before, verdict)
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
      const left = decided(before, { kind, status, reason, atMs: decidedAtMs! })
      if (left === null || statusOf(left) !== statusOf(now)) return null
      if (mayUndo !== undefined && !(yield* mayUndo(subject))) return null
      return same(before, now) || (yield* move(subject, before, "undo")) ? before : null
    })
  }
}

/** The refusal for an id that names nothing of this kind. */
export const noneOf = (noun: string) => (id: string) => new NotFound({ detail: `There is no ${noun} ${id}.` })
interface Takedown<Type extends JudgedType, Subject, State, RView, RSettle> {
  readonly agentOf: (subject: Subject) => AgentId | null
  /** What a person reads of it once it is set aside. */
  readonly card: (subject: Subject, publicUrl: string) => ReviewRequest
  /** Where a judgement leads, at any time; null where nothing is left to do that to. */
  readonly judged: (
    subject: Subject,
    act: { readonly judgement: Judgement; readonly reason: string | null; readonly atMs: number }
  ) => State | null
  readonly isUnchanged?: (before: State, to: State) => boolean
  /** True where the judgement settled the subject's review by itself, or needs none. */
  readonly settle?: (subject: Subject, judgement: Judgement, act: Act) => Effect.Effect<boolean, never, RSettle>
  readonly missing: (id: string) => Missing
  /** Its name in the audit log, where that isn't its type. */
  readonly auditName?: string
  readonly view: (subject: Subject) => Effect.Effect<SubjectViews[Type], never, RView>
}
/** A set-aside subject waits for a person. A removed or released one waits for nobody. */
const settleReview = Effect.fnUntraced(function* (card: ReviewRequest, judgement: Judgement, act: Act, atMs: number) {
  if (judgement === "hold") return yield* askForReview({ status: "escalated", ...card })
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(card.type, card.id)
  if (review === null) return
  const status = judgement === "remove" ? "rejected" : "approved"
  yield* reviews.decide(review.id, { ...undone, from: undecided, status, reason: act.reason, by: act.actor, atMs })
})
/** An entry for a type that is decided on and can be taken down. */
export const removable = <
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
  | Effect.Services<ReturnType<typeof settleReview | typeof record | typeof seen>>,
  RFind | RView
> => {
  const { auditName, card, find, judged, missing, move, settle, state, statusOf, type } = entry
  const isUnchanged = entry.isUnchanged ?? ((before: State, to: State) => statusOf(before) === statusOf(to))
  const found = Effect.fnUntraced(function* (id: string) {
    return (yield* find(id)) ?? (yield* Effect.fail(missing(id)))
  })
  const attempt = Effect.fnUntraced(function* (
    id: string,
    isOwn: (agentId: AgentId | null) => boolean,
    judgement: Judgement,
    act: Act
  ) {
    const subject = yield* found(id)
    if (!isOwn(entry.agentOf(subject))) return yield* Effect.fail(missing(id))
    const atMs = yield* Clock.currentTimeMillis
    const before = state(subject)
    const to = judged(subject, { judgement, reason: act.reason, atMs })
    const waits = (yield* (yield* Reviews).openFor(type, id)) !== null
    if (to === null)
      return yield* new SubjectConflict({
        detail: `It is ${statusOf(before)}: ${waits ? "decide on its review" : `there is nothing left to ${judgement}`}.`
      })
    // A removal ends its review even where it was out of sight before.
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
    ...reviewable(entry),
    agentOf: (id) => Effect.map(found(id), entry.agentOf),
    // The scheduler moves segments meanwhile, and an author its words: another attempt sees what was done.
    judge: (id, isOwn, judgement, act) =>
      attempt(id, isOwn, judgement, act).pipe(
        Effect.retry({ times: judgementTriesMax, while: (error) => error._tag === "Moved" }),
        Effect.catchTag("Moved", () => Effect.fail(new SubjectConflict({ detail: changed.detail! })))
      ),
    view: (id) => Effect.flatMap(found(id), entry.view)
  }
}

interface BeforeDecision {
  readonly review: ReviewStatus
  /** Absent from decisions on segments that an earlier version wrote: it kept the subject's fields beside `review`. */
  readonly subject?: unknown
}
const seen = Effect.fnUntraced(function* (review: ReviewRecord) {
  return reviewView(review, yield* stationFacts)
})
/** A person's decision and all that follows from it, as one write. The same decision again changes nothing. */
const decide = Effect.fnUntraced(function* <R>(
  kind: Reviewable<SubjectType, R>,
  review: ReviewRecord,
  { decision, note, ...act }: Decide
) {
  const status = statusAfter[decision]
  if (review.status === status) return yield* seen(review)
  if (!undecided.includes(review.status))
    return yield* new ReviewConflict({
      detail: `This review was ${review.status} by ${review.decidedBy ?? "the station"}. Undo that first.`
    })
  return yield* command({
    run: Effect.gen(function* () {
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
      yield* record(act, `review.${decision}`, { type: review.subjectType, id: review.subjectId }, before, after)
      return yield* seen(written)
    })
  })
})
/** Takes a decision back within ten minutes. */
const undo = Effect.fnUntraced(function* <R>(kind: Reviewable<SubjectType, R>, review: ReviewRecord, act: Act) {
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
      const subject = { type: review.subjectType, id: review.subjectId }
      yield* record(act, "review.undo", subject, { status: review.status }, after)
      return yield* seen(written)
    })
  })
})

type ServicesOf<Kind> = Kind extends Reviewable<SubjectType, infer R> ? R : never
const isRemovable = (kind: Reviewable<SubjectType, unknown>): kind is Removable<JudgedType, unknown, unknown> =>
  "judge" in kind
/** The handlers of `reviewing` for an entity that owns these types. `isOwn` says of which agents. */
export const reviewHandlers = <const Kinds extends ReadonlyArray<Reviewable<SubjectType, unknown>>>(
  kinds: Kinds,
  isOwn: (agentId: AgentId | null) => boolean = () => true
) => {
  const kindOf = (type: string) =>
    kinds.find((kind) => kind.type === type) as Reviewable<SubjectType, ServicesOf<Kinds[number]>> | undefined
  const found = Effect.fnUntraced(function* (reviewId: ReviewId) {
    const review = yield* (yield* Reviews).find(reviewId)
    const kind = review === null || !isOwn(review.agentId) ? undefined : kindOf(review.subjectType)
    return review === null || kind === undefined
      ? yield* new NotFound({ detail: `There is no review ${reviewId}.` })
      : { kind, review }
  })
  return {
    Decide: ({ payload }: { readonly payload: Decide }) =>
      Effect.flatMap(found(payload.reviewId), ({ kind, review }) => decide(kind, review, payload)),
    UndoDecision: ({ payload }: { readonly payload: UndoDecision }) =>
      Effect.flatMap(found(payload.reviewId), ({ kind, review }) => undo(kind, review, payload)),
    Judge: Effect.fnUntraced(function* ({ payload: { id, judgement, type, ...act } }: { readonly payload: Judge }) {
      const kind = kindOf(type)
      if (kind === undefined || !isRemovable(kind))
        return yield* new NotFound({ detail: `There is no ${type} ${id} to ${judgement}.` })
      yield* (kind as Removable<JudgedType, ServicesOf<Kinds[number]>, unknown>).judge(id, isOwn, judgement, act)
    })
  }
}
