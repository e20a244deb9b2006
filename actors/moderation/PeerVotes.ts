import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { peerOverturnDays, peerSeatsMax } from "../../engine/rules/moderation/limits.ts"
import {
  findDecidedSide,
  checkDecision,
  canPeersRead,
  outcomeOf,
  peerAllowance,
  peerWeight,
  type PeerSeat,
  type ReviewableByPeer
} from "../../engine/rules/moderation/PeerReview.ts"
import { PeerCasesWriter } from "../../engine/store/moderation/PeerCases.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { PeerCaseId, ReviewId } from "../../schema/Ids.ts"
import type { PeerOutcome, PeerReview, PeerVerdict } from "../../schema/moderation/PeerReview.ts"
import type { ReviewRecord, SubjectType } from "../../schema/moderation/Review.ts"
import { AgentNotActive, NotFound, type ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import { iso } from "../../schema/time/Instant.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { record } from "../runtime/audit.ts"
import { command, isDryRun } from "../runtime/Command.ts"
import { emit } from "../runtime/emit.ts"
import { addJob } from "../runtime/Jobs.ts"
import { judgeCase } from "./PeerVerdicts.ts"
import { ClosePeerCase, type JudgePeers, type PeerDecide } from "./protocol.ts"
import { carryOut, overturn, type Reviewable } from "./Reviews.ts"
import { findFlaggedTexts, refuseFlagged } from "./TextChecks.ts"

/** The peers as the actor of a decision in reviews and audit log. */
const byPeers = "peer review"

/** Carries out the peers' decisions on a kind of subject. Planted cases have no owner. */
export interface PeerSubjectOwner<out R> {
  readonly carryOut: (
    reviewId: ReviewId,
    decision: "approve" | "reject",
    reason: string | null
  ) => Effect.Effect<void, ReviewConflict, R>
  readonly escalate: (reviewId: ReviewId, reason: string, note: string | null) => Effect.Effect<void, never, R>
}

/** Applies peers' decisions to the subjects of an entity. */
export const subjectOwner = <R>(kindOf: (review: ReviewRecord) => Reviewable<SubjectType, R> | undefined) => {
  const requireReview = Effect.fnUntraced(function* (reviewId: ReviewId) {
    const review = (yield* (yield* Reviews).find(reviewId))!
    return { review, kind: kindOf(review)! }
  })
  return {
    carryOut: Effect.fnUntraced(function* (reviewId: ReviewId, decision: "approve" | "reject", reason: string | null) {
      const { kind, review } = yield* requireReview(reviewId)
      // A subject that refuses the decision leaves nothing of it behind.
      yield* (yield* Transaction).run(carryOut(kind, review, { decision, reason, note: null, actor: byPeers }))
    }),
    escalate: Effect.fnUntraced(function* (reviewId: ReviewId, reason: string, note: string | null) {
      const { kind, review } = yield* requireReview(reviewId)
      const escalation = { decision: "escalate", reason, note, actor: byPeers } as const
      yield* (yield* Transaction).run(carryOut(kind, review, escalation)).pipe(
        // The subject has changed meanwhile: only its review passes on.
        Effect.catch(() =>
          Effect.flatMap(Reviews, (reviews) =>
            reviews.decide(reviewId, {
              from: ["open"],
              status: "escalated",
              reason,
              note,
              by: byPeers,
              atMs: null,
              before: null
            })
          )
        )
      )
    })
  }
}

/** The reviewer and its subject, if it may decide now. */
const admit = Effect.fnUntraced(function* ({ by, subjectId: id, subjectType: type }: PeerDecide) {
  const peers = yield* PeerCasesWriter
  const seat = yield* peers.seat(by.agentId)
  if (seat === null || !seat.isActive)
    return yield* new AgentNotActive({ detail: "The agent has left, is suspended, or has not been claimed." })
  const subject = yield* peers.subject(type, id, seat.ownerKey)
  const wasDecided = subject === null && (yield* peers.wasDecided(type, id, seat.ownerKey))
  const nowMs = yield* Clock.currentTimeMillis
  const reviewable = yield* Effect.fromResult(checkDecision({ type, id, seat, subject, wasDecided, nowMs }))
  return { seat, subject: { ...reviewable, contentMd5: subject!.contentMd5, caseMd5: subject!.caseMd5 } }
})

/** The case of a subject. The first decision opens it with its deadline; decisions on a former text don't count for the present one. */
const caseFor = Effect.fnUntraced(function* ({
  caseId,
  caseMd5,
  contentMd5,
  reviewId,
  subjectId,
  subjectType,
  untilMs
}: ReviewableByPeer & { readonly contentMd5: string; readonly caseMd5: string | null }) {
  if (caseId !== null && caseMd5 === contentMd5) return caseId
  const peers = yield* PeerCasesWriter
  const nowMs = yield* Clock.currentTimeMillis
  if (caseId !== null) yield* peers.close(caseId, { status: "withdrawn", decidedByPeers: false, atMs: nowMs })
  const id = (yield* (yield* IdSource).make("pmc")) as PeerCaseId
  yield* peers.open({ id, reviewId, subjectType, subjectId, contentMd5, closesAtMs: untilMs }, nowMs)
  yield* addJob(ClosePeerCase, { key: id, payload: { caseId: id }, runAtMs: untilMs })
  return id
})

/** Counts the decisions of a case, and carries out what they come to. */
const settle = Effect.fnUntraced(function* <R>(
  owner: PeerSubjectOwner<R> | null,
  caseId: PeerCaseId,
  { flags, reviewId, subjectType }: ReviewableByPeer,
  { by, decision, reason }: PeerDecide
) {
  const close = closeCase(caseId)
  const peers = yield* PeerCasesWriter
  const votes = yield* peers.listVotes([caseId])
  const isFull = votes.length >= peerSeatsMax
  // A planted case takes all decisions that it can get, and its reviewers can't tell it from the others.
  if (owner === null || reviewId === null) {
    if (isFull) yield* close("escalated", false)
    return pendingOr(decision === "deferred" ? "escalated" : null)
  }
  const escalate = Effect.fnUntraced(function* (because: string, note: string | null) {
    yield* owner.escalate(reviewId, because, note)
    return yield* close("escalated", false)
  })
  if (decision === "deferred") return yield* escalate("PEERS_DEFERRED", `@${by.handle}: ${reason ?? ""}`)
  const counted = votes.filter((vote) => vote.counted)
  const side = findDecidedSide(counted)
  const [binding] = yield* peers.listNotBinding([subjectType])
  if (side !== null && binding!.binds && canPeersRead(flags)) {
    const isDone = yield* owner
      .carryOut(
        reviewId,
        side === "approved" ? "approve" : "reject",
        side === "denied" ? reasonOf(votes, reason) : null
      )
      .pipe(
        Effect.as(true),
        Effect.catch(() => Effect.succeed(false))
      )
    if (!isDone) return yield* escalate("PEERS_UNDECIDED", "The subject refuses what the peers decided.")
    yield* close(side, true)
    const ids = counted.map(({ id }) => id)
    for (const { agentId, id: decisionId } of yield* peers.bind(caseId, side, ids))
      yield* emit({ _tag: "PeerDecisionBound", agentId, decisionId })
    return pendingOr(side)
  }
  yield* peers.advise(caseId, binding!.binds ? null : side)
  return isFull ? yield* escalate("PEERS_UNDECIDED", null) : pendingOr(null)
})
const pendingOr = (outcome: PeerOutcome | null): PeerOutcome => outcome ?? "pending"
/** The author reads the newest reason of the deciding side. */
const reasonOf = (
  votes: ReadonlyArray<{ readonly decision: string; readonly reason: string | null }>,
  last: string | null
): string | null => votes.findLast(({ decision, reason }) => decision === "denied" && reason !== null)?.reason ?? last

const closeCase = (caseId: PeerCaseId) =>
  Effect.fnUntraced(function* (status: "approved" | "denied" | "escalated" | "withdrawn", decidedByPeers: boolean) {
    const atMs = yield* Clock.currentTimeMillis
    yield* (yield* PeerCasesWriter).close(caseId, { status, decidedByPeers, atMs })
    return outcomeOf(status)
  })

/** Stores a reviewer's decision. If it closes the case, the outcome takes effect in the same transaction. */
export const peerDecide = Effect.fnUntraced(function* <R>(owner: PeerSubjectOwner<R> | null, message: PeerDecide) {
  const { by, decision, reason, subjectId, subjectType } = message
  yield* admit(message)
  yield* refuseFlagged(
    "The author of the subject and the operators read it. Change the passages that are flagged.",
    findFlaggedTexts({ "/reason": reason })
  )
  return yield* command({
    by: by.agentId,
    allowances: [peerAllowance],
    run: Effect.gen(function* () {
      const peers = yield* PeerCasesWriter
      // A withdrawal or a change of the text goes past this mailbox.
      yield* peers.hold(subjectType, subjectId)
      const { seat, subject } = yield* admit(message)
      const nowMs = yield* Clock.currentTimeMillis
      const caseId = yield* caseFor(subject)
      const id = (yield* (yield* IdSource).make("rev")) as ReviewId
      const weight = weightOf(seat)
      const { ownerKey } = seat
      yield* peers.decide({ id, caseId, agentId: by.agentId, ownerKey, decision, reason, weight }, nowMs)
      // A dry run counts nothing, so that nobody learns how others decided before deciding.
      const outcome = (yield* isDryRun) ? pendingOr(null) : yield* settle(owner, caseId, subject, message)
      return {
        id,
        subjectType: subject.subjectType,
        subjectId,
        decision,
        reason,
        weight,
        binding: outcome === decision,
        outcome,
        createdAt: iso(nowMs)
      } satisfies PeerReview
    })
  })
})
const weightOf = ({ tier }: PeerSeat): number => peerWeight(tier) ?? 0

/** Ends a case at its deadline: undecided ones pass to the operators. Answers the deadline while it lies ahead. */
export const closePeerCase = Effect.fnUntraced(function* <R>(owner: PeerSubjectOwner<R> | null, caseId: PeerCaseId) {
  return yield* command({
    run: Effect.gen(function* () {
      const found = yield* (yield* PeerCasesWriter).lock(caseId)
      if (found === null || found.status !== "pending") return null
      if ((yield* Clock.currentTimeMillis) < found.closesAtMs) return found.closesAtMs
      const close = closeCase(caseId)
      const review = found.reviewId === null ? null : yield* (yield* Reviews).find(found.reviewId)
      if (review?.status === "withdrawn") yield* close("withdrawn", false)
      else {
        if (owner !== null && review?.status === "open")
          yield* owner.escalate(review.id, "PEERS_UNDECIDED", "Peers have not decided in time.")
        yield* close("escalated", false)
      }
      return null
    })
  })
})

const describeOverturnEnd = (closedAtMs: number) =>
  `Peers' decisions can be overturned for ${peerOverturnDays} days; this one was made at ${iso(closedAtMs)}. Remove or restore the subject itself.`

/** Confirms what peers decided, or turns it into the opposite. */
export const judgePeers = Effect.fnUntraced(function* <R>(
  kindOf: (review: ReviewRecord) => Reviewable<SubjectType, R> | undefined,
  { actor, caseId, reason, verdict }: JudgePeers
) {
  return yield* command({
    run: Effect.gen(function* () {
      const found = yield* (yield* PeerCasesWriter).lock(caseId)
      const review = found?.reviewId == null ? null : yield* (yield* Reviews).find(found.reviewId)
      const kind = review === null ? undefined : kindOf(review)
      if (found === null || review === null || kind === undefined)
        return yield* new NotFound({ detail: `There is no case ${caseId} that peers decided.` })
      if (!found.decidedByPeers)
        return yield* new SubjectConflict({
          detail: "Peers have not decided on it. Decide on its review: POST /api/ops/reviews/{id}/decision."
        })
      if (found.verdict !== null && found.verdict !== verdict)
        return yield* new SubjectConflict({ detail: `Operators have already found it ${found.verdict}.` })
      if (found.verdict === verdict) return
      const decided = found.status as PeerVerdict
      const act = { actor, reason }
      const subject = { type: review.subjectType, id: review.subjectId }
      if (decided === verdict) yield* record(act, "peers.confirm", subject, { outcome: decided }, { verdict })
      else {
        if ((yield* Clock.currentTimeMillis) - found.closedAtMs! > peerOverturnDays * dayMs)
          return yield* new SubjectConflict({ detail: describeOverturnEnd(found.closedAtMs!) })
        const { after, before } = yield* overturn(kind, review, verdict, act)
        yield* record(act, "peers.overturn", subject, before, after)
      }
      yield* judgeCase(found, verdict, actor)
    })
  })
})
