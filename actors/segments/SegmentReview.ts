import { Clock, Effect, Result } from "effect"
import { reviewUndoMin } from "../../engine/rules/moderation/limits.ts"
import { decided, effective } from "../../engine/rules/segments/FirstAirGate.ts"
import { escalates } from "../../engine/rules/moderation/Precheck.ts"
import { statusAfter, undecided } from "../../engine/rules/moderation/Review.ts"
import { advance, allowedFrom, expiresAtMs, type SegmentStep } from "../../engine/rules/segments/Segment.ts"
import { type ReviewRecord, Reviews, reviewView } from "../../engine/store/moderation.ts"
import { Segments, type SegmentRecord } from "../../engine/store/segments/Segments.ts"
import { type Gate, Standings } from "../../engine/store/agents/Standings.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, ReviewId, SegmentId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict } from "../../schema/Problems.ts"
import type { GrantsPatch, ReviewDecision, ReviewStatus } from "../../schema/moderation/Review.ts"
import { Grants } from "../../schema/moderation/Review.ts"
import { type Act, record } from "../runtime/audit.ts"
import { enqueue, withdraw } from "../runtime/StationQueue.ts"
import { withdrawReview } from "../moderation/Reviews.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { openReview } from "./Submission.ts"
import { emitSegment, emit } from "../runtime/emit.ts"

const summary = (segment: SegmentRecord, gate: Gate) => ({
  segment: { id: segment.id, status: segment.status, statusReason: segment.statusReason },
  gate
})
/** Takes a step if the segment is where the rules allow it. */
export const step = Effect.fnUntraced(function* (
  segment: Pick<SegmentRecord, "id" | "status">,
  taken: SegmentStep,
  reason: string | null
) {
  const next = advance(segment.status, taken)
  if (Result.isFailure(next)) return null
  const moved = yield* (yield* Segments).move(segment.id, {
    from: [segment.status],
    to: next.success,
    reason,
    atMs: yield* Clock.currentTimeMillis
  })
  if (moved !== null) yield* emitSegment(moved)
  return moved
})
/** What has waited behind an approved first air goes on by itself where its precheck is clean; the rest is looked at one by one. */
const releaseBehind = Effect.fnUntraced(function* (agentId: AgentId) {
  const freed: Array<SegmentRecord> = []
  for (const waiting of yield* (yield* Segments).behindReview(agentId)) {
    if (waiting.statusReason !== "BEHIND_FIRST_AIR") continue
    if (waiting.flags.length > 0 && escalates(waiting.flags)) {
      yield* openReview(waiting, "segment")
      continue
    }
    const moved = yield* step(waiting, "Approve", waiting.audioStatus === "ready" ? null : "NO_AUDIO")
    if (moved !== null) freed.push(moved)
  }
  return freed
})
/** How a segment follows; null where it waits on. */
const stepAfter: { readonly [Decision in ReviewDecision]: SegmentStep | null } = {
  approve: "Approve",
  reject: "Reject",
  hold: null,
  escalate: null,
  request_changes: "Reject"
}
const reviewOf = Effect.fnUntraced(function* (agentId: AgentId, reviewId: ReviewId) {
  const review = yield* (yield* Reviews).find(reviewId)
  const segment =
    review === null || review.subjectType !== "segment" ? null : yield* (yield* Segments).find(review.subjectId)
  if (review === null || review.agentId !== agentId || segment === null)
    return yield* new NotFound({ detail: `There is no review ${reviewId}.` })
  return { review, segment }
})
const seen = Effect.fnUntraced(function* (review: ReviewRecord) {
  return reviewView(review, yield* stationFacts)
})
/** A person's decision, and everything that follows from it, as one write. The same decision again changes nothing. */
export const decide = Effect.fnUntraced(function* (
  agentId: AgentId,
  reviewId: ReviewId,
  decision: ReviewDecision,
  note: string | null,
  act: Act
) {
  const { review, segment } = yield* reviewOf(agentId, reviewId)
  const [status, taken] = [statusAfter[decision], stepAfter[decision]]
  if (review.status === status) return yield* seen(review)
  if (!undecided.includes(review.status))
    return yield* new ReviewConflict({
      detail: `This review was ${review.status} by ${review.decidedBy ?? "the station"}. Undo that first.`
    })
  const standings = yield* Standings
  const [after, freed] = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const gate = yield* standings.gate(agentId)
      const moved =
        taken === null
          ? segment
          : // What has aired was set aside with its copies: they come back, or stay away.
            segment.rerunHold
            ? yield* (yield* Segments).hide(segment.id, {
                hidden: taken !== "Approve",
                reason: taken === "Approve" ? null : act.reason,
                atMs: now
              })
            : yield* step(
                segment,
                taken,
                taken === "Approve" ? (segment.audioStatus === "ready" ? null : "NO_AUDIO") : act.reason
              )
      if (moved === null)
        return yield* new ReviewConflict({
          detail: `The segment is ${segment.status}; the decision came too late.`
        })
      let nextGate = gate
      const freed: Array<SegmentRecord> = moved.status === "queued" ? [moved] : []
      if (
        review.kind === "first_air" &&
        (status === "approved" || status === "rejected" || status === "changes_requested")
      ) {
        nextGate = {
          ...gate,
          ...decided(status === "approved" ? "approve" : "reject", gate.rejections),
          state: decided(status === "approved" ? "approve" : "reject", gate.rejections).state as Gate["state"],
          reviewedAtMs: now,
          reason: act.reason
        }
        yield* standings.saveGate(agentId, nextGate)
        yield* emit({
          _tag: "FirstAirDecided",
          agentId,
          segmentId: segment.id,
          decision: status === "approved" ? "approve" : "reject",
          reason: act.reason
        })
        if (status === "approved") freed.push(...(yield* releaseBehind(agentId)))
      }
      const written = yield* (yield* Reviews).decide(reviewId, {
        from: undecided,
        status,
        reason: act.reason,
        note,
        by: act.actor,
        atMs: now,
        before: { ...summary(segment, gate), review: review.status, freed: freed.map(({ id }) => id) }
      })
      if (written === null)
        return yield* new ReviewConflict({
          detail: "Another operator decided on it at the same moment. Read it again."
        })
      yield* record(
        act,
        `review.${decision}`,
        { type: "segment", id: segment.id },
        summary(segment, gate),
        summary(moved, nextGate)
      )
      return [written, freed] as const
    })
  )
  yield* Effect.forEach(
    freed.filter(({ audioStatus }) => audioStatus === "ready"),
    ({ id }) => enqueue(id),
    { discard: true }
  )
  return yield* seen(after)
})
interface BeforeDecision {
  readonly segment: { readonly status: SegmentRecord["status"]; readonly statusReason: string | null }
  readonly gate: Gate
  readonly review: ReviewStatus
  readonly freed: ReadonlyArray<SegmentId>
}
/** Takes a decision back within ten minutes, as long as nothing it set free has gone on the air. */
export const undo = Effect.fnUntraced(function* (agentId: AgentId, reviewId: ReviewId, act: Act) {
  const { review, segment } = yield* reviewOf(agentId, reviewId)
  const now = yield* Clock.currentTimeMillis
  if (review.decidedAtMs === null || review.beforeDecision === null)
    return yield* new ReviewConflict({ detail: "Nothing has been decided yet." })
  if (now - review.decidedAtMs > reviewUndoMin * 60_000)
    return yield* new ReviewConflict({
      detail: `A decision can be taken back for ${reviewUndoMin} minutes. Hold or remove the segment instead.`
    })
  const before = review.beforeDecision as BeforeDecision
  const segments = yield* Segments
  const standings = yield* Standings
  const touched = yield* Effect.forEach([...new Set([segment.id, ...before.freed])], (id) => segments.find(id))
  if (touched.some((each) => each === null || each.status === "airing" || each.status === "aired"))
    return yield* new ReviewConflict({ detail: "It is already on the air." })
  const after = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      for (const each of touched) {
        const to = each!.id === segment.id ? before.segment.status : "pending_review"
        if (each!.status === to) continue
        const moved = yield* segments.move(each!.id, {
          from: allowedFrom("Reopen"),
          to,
          reason: each!.id === segment.id ? before.segment.statusReason : "BEHIND_FIRST_AIR",
          atMs: now
        })
        if (moved === null) return yield* new ReviewConflict({ detail: "It changed in the meantime. Read it again." })
      }
      const gate = yield* standings.gate(agentId)
      if (review.kind === "first_air") yield* standings.saveGate(agentId, before.gate)
      const reopened = yield* (yield* Reviews).decide(reviewId, {
        from: [review.status],
        status: before.review,
        reason: null,
        note: null,
        by: null,
        atMs: null,
        before: null
      })
      if (reopened === null)
        return yield* new ReviewConflict({
          detail: "Another operator decided on it at the same moment. Read it again."
        })
      yield* record(act, "review.undo", { type: "segment", id: segment.id }, summary(segment, gate), before)
      return reopened
    })
  )
  yield* Effect.forEach(
    touched.filter((each) => each?.status === "scheduled"),
    (each) => withdraw(each!.id, "REVIEW_REOPENED"),
    { discard: true }
  )
  return yield* seen(after)
})
/** Changes what an agent may do. Free air opens the queue to what waits behind the first air; that itself stays with its reviewer. */
export const grant = Effect.fnUntraced(function* (agentId: AgentId, patch: GrantsPatch, act: Act) {
  const standings = yield* Standings
  const [after, freed] = yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const before = yield* standings.grants(agentId)
      const free =
        patch.freeAir === true && !before.freeAir
          ? { requiresSegmentReview: patch.requiresSegmentReview ?? false, canBroadcast: patch.canBroadcast ?? true }
          : {}
      const next = Grants.make({ ...before, ...patch, ...free })
      yield* standings.saveGrants(agentId, next, now)
      yield* record(act, "agent.grants", { type: "agent", id: agentId }, before, next)
      yield* emit({ _tag: "AgentGrantsChanged", agentId })
      const freed: Array<SegmentRecord> = []
      const gate = yield* standings.gate(agentId)
      if (effective(gate.state, next.freeAir) === "free_air" && !before.freeAir) {
        freed.push(...(yield* releaseBehind(agentId)))
      }
      return [next, freed] as const
    })
  )
  yield* Effect.forEach(
    freed.filter(({ audioStatus }) => audioStatus === "ready"),
    ({ id }) => enqueue(id),
    { discard: true }
  )
  return after
})
/** A segment that ends without an airing takes its open review, and a first air its gate, with it. */
export const closeBehind = Effect.fnUntraced(function* (segment: SegmentRecord, reason: string) {
  const standings = yield* Standings
  yield* withdrawReview("segment", segment.id, reason)
  const gate = yield* standings.gate(segment.agentId)
  if (gate.state === "awaiting_review" && gate.segmentId === segment.id)
    yield* standings.saveGate(segment.agentId, { ...gate, state: "not_started", reason })
})
/** Ends a segment that has waited too long for a review or for its place. */
export const expire = Effect.fnUntraced(function* (segmentId: SegmentId) {
  const segment = yield* (yield* Segments).find(segmentId)
  const end = segment === null ? null : expiresAtMs(segment)
  if (segment === null || end === null || end > (yield* Clock.currentTimeMillis)) return false
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const moved = yield* step(segment, "Expire", "EXPIRED")
      if (moved !== null) yield* closeBehind(segment, "EXPIRED")
      return moved !== null
    })
  )
})
/** Everything of an agent that hasn't begun is cancelled. */
export const silence = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  const segments = yield* Segments
  const waiting = yield* segments.waiting(agentId)
  const cancelled = yield* (yield* Transaction).run(
    Effect.filter(waiting, (segment) =>
      Effect.gen(function* () {
        const moved = yield* step(segment, segment.status === "held" ? "Reject" : "Cancel", reason)
        if (moved !== null) yield* closeBehind(segment, reason)
        return moved !== null
      })
    )
  )
  yield* Effect.forEach(
    cancelled.filter(({ status }) => status === "scheduled"),
    ({ id }) => withdraw(id, reason),
    { discard: true }
  )
  return cancelled.length
})
