import { Clock, Effect, Result } from "effect"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { peerTierMin } from "../../engine/rules/moderation/limits.ts"
import { peerWeight } from "../../engine/rules/moderation/PeerReview.ts"
import { isEscalating } from "../../engine/rules/moderation/Precheck.ts"
import { applyReview, applyGrant } from "../../engine/rules/segments/FirstAirGate.ts"
import {
  advance,
  statesAllowing,
  expiresAtMs,
  rulingOf,
  segmentCard,
  type SegmentStep
} from "../../engine/rules/segments/Segment.ts"
import { type Gate, Standings } from "../../engine/store/agents/Standings.ts"
import { Segments, SegmentsWriter } from "../../engine/store/segments/Segments.ts"
import { SegmentFlagsWriter } from "../../engine/store/segments/SegmentFlags.ts"
import { Ranks } from "../../engine/store/ranks/Ranks.ts"
import { Assets } from "../../engine/store/sound/Assets.ts"
import { Prepare } from "../../engine/ports/Prepare.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, AssetId, SegmentId } from "../../schema/Ids.ts"
import { Grants, type GrantsPatch, type ReviewStatus, type ReviewRecord } from "../../schema/moderation/Review.ts"
import { ReviewConflict, SegmentNotFound, SubjectConflict } from "../../schema/Problems.ts"
import { askForReview, makeRemovable, type Verdict, withdrawReview } from "../moderation/Reviews.ts"
import { type Act, record } from "../runtime/audit.ts"
import { command } from "../runtime/Command.ts"
import { emit, emitSegment } from "../runtime/emit.ts"
import { enqueue, recall, takeOff, withdraw } from "../runtime/StationQueue.ts"
import { Studio } from "./protocol/Studio.ts"
import { saveGate, saveGrants } from "../agents/inTransaction.ts"
import type { SegmentRecord } from "../../schema/segments/Segment.ts"
import { ownerView } from "../../engine/rules/segments/SegmentView.ts"

const summary = (segment: SegmentRecord, gate: Gate) => ({
  segment: { id: segment.id, status: segment.status, statusReason: segment.statusReason },
  gate
})
const moveTo = Effect.fnUntraced(function* (
  { id, status }: Pick<SegmentRecord, "id" | "status">,
  to: SegmentRecord["status"],
  reason: string | null
) {
  const atMs = yield* Clock.currentTimeMillis
  const moved = yield* (yield* SegmentsWriter).move(id, { from: [status], to, reason, atMs })
  if (moved !== null) yield* emitSegment(moved)
  return moved
})
/** Applies a step if the rules allow it. Null otherwise. */
export const step = Effect.fnUntraced(function* (
  segment: Pick<SegmentRecord, "id" | "status">,
  taken: SegmentStep,
  reason: string | null
) {
  const next = advance(segment.status, taken)
  return Result.isFailure(next) ? null : yield* moveTo(segment, next.success, reason)
})
/** Releases the segments that waited for the first air. Escalating ones go to review. */
const releaseBehind = Effect.fnUntraced(function* (agentId: AgentId) {
  const freed: Array<SegmentRecord> = []
  for (const waiting of yield* (yield* Segments).listBehindReview(agentId)) {
    if (waiting.statusReason !== "BEHIND_FIRST_AIR") continue
    if (waiting.flags.length > 0 && isEscalating(waiting.flags)) {
      yield* askForReview(segmentCard(waiting, "segment"))
      continue
    }
    const moved = yield* step(waiting, "Approve", waiting.audioStatus === "ready" ? null : "NO_AUDIO")
    if (moved !== null) freed.push(moved)
  }
  return freed
})
/** Withdraws the open review of a segment that ended unaired, and resets the gate if it was the first air. */
export const closeBehind = Effect.fnUntraced(function* (segment: SegmentRecord, reason: string) {
  const standings = yield* Standings
  yield* withdrawReview("segment", segment.id, reason)
  const gate = yield* standings.gate(segment.agentId)
  if (gate.state === "awaiting_review" && gate.segmentId === segment.id)
    yield* saveGate(segment.agentId, { ...gate, state: "not_started", reason })
})
/** Step of each decision; none if the segment keeps waiting. */
const stepAfter: { readonly [Status in ReviewStatus]?: SegmentStep } = {
  approved: "Approve",
  rejected: "Reject",
  changes_requested: "Reject"
}
const reasonNow = (segment: SegmentRecord, isFree: boolean, reason: string | null): string | null =>
  isFree ? (segment.audioStatus === "ready" ? null : "NO_AUDIO") : reason
/** Enqueues the segments with audio after the commit. */
const enqueueReady = Effect.fnUntraced(function* (freed: ReadonlyArray<SegmentRecord>) {
  const { afterCommit } = yield* Transaction
  for (const { audioStatus, id } of freed) if (audioStatus === "ready") yield* afterCommit(enqueue(id))
})
interface BeforeDecision {
  readonly segment: { readonly status: SegmentRecord["status"]; readonly statusReason: string | null }
  readonly gate: Gate
  readonly freed: ReadonlyArray<SegmentId>
}
/** Applies a decision. On a first air it also sets the agent's gate; an approval releases the segments behind it. */
const apply = Effect.fnUntraced(function* (segment: SegmentRecord, { atMs, kind, reason, status }: Verdict) {
  const { agentId, id, rerunHold } = segment
  const standings = yield* Standings
  const gate = yield* standings.gate(agentId)
  const taken = stepAfter[status]
  const isFree = taken === "Approve"
  const moved =
    taken === undefined
      ? segment
      : // Copies of an aired segment are shown again or stay hidden.
        rerunHold || segment.status === "aired"
        ? yield* (yield* SegmentsWriter).hide(id, { hidden: !isFree, reason: isFree ? null : reason, atMs })
        : yield* step(segment, taken, reasonNow(segment, isFree, reason))
  if (moved === null) return null
  if (segment.status === "aired" && taken !== undefined) yield* (yield* SegmentFlagsWriter).settle(id)
  const freed: Array<SegmentRecord> = moved.status === "queued" ? [moved] : []
  let nextGate = gate
  if (kind === "first_air" && taken !== undefined) {
    const decision = isFree ? "approve" : "reject"
    const next = applyReview(decision, gate.rejections)
    nextGate = { ...gate, ...next, state: next.state as Gate["state"], reviewedAtMs: atMs, reason }
    yield* saveGate(agentId, nextGate)
    yield* emit({ _tag: "FirstAirDecided", agentId, segmentId: id, decision, reason })
    if (isFree) freed.push(...(yield* releaseBehind(agentId)))
  }
  yield* enqueueReady(freed)
  const before = summary(segment, gate)
  const kept: BeforeDecision = { ...before, freed: freed.map((each) => each.id) }
  return { before, after: summary(moved, nextGate), kept }
})
const onAirNow = (id: SegmentId, aired: boolean) =>
  new ReviewConflict({
    detail: aired
      ? `Segment ${id} has aired: its approval can't be undone any more. To hide its recording, use POST /api/ops/subjects/segment/${id}/remove.`
      : `Segment ${id} is on the air: its approval can't be undone any more. To end it, use POST /api/ops/subjects/segment/${id}/remove.`
  })
/** Removes a waiting segment from the rundown. Fails if the segment is already on the air: its approval then stays. */
const callBack = Effect.fnUntraced(function* ({ id, status }: SegmentRecord) {
  if (status !== "queued" && status !== "scheduled") return
  const answer = yield* recall(id)
  if (answer === "on_air") return yield* onAirNow(id, false)
  if (answer === "unknown")
    return yield* new ReviewConflict({
      detail: `The station doesn't say whether segment ${id} is on the air. Nothing was changed. Undo the decision again in a moment.`
    })
})
/** Reverts a decision. Fails when any affected segment is on the air or has aired. */
const restore = Effect.fnUntraced(function* (segment: SegmentRecord, kept: unknown, { kind }: ReviewRecord) {
  const before = kept as BeforeDecision
  const segments = yield* SegmentsWriter
  const atMs = yield* Clock.currentTimeMillis
  const touched = (yield* Effect.forEach([...new Set([segment.id, ...before.freed])], (id) =>
    segments.find(id)
  )).filter((each) => each !== null)
  for (const { id, status } of touched)
    if (status === "airing" || status === "aired") return yield* onAirNow(id, status === "aired")
  // The station is asked before these rows are written: it writes them as well, and knows before the store what is on the air.
  for (const each of touched) yield* callBack(each)
  for (const each of touched) {
    const was = each.id === segment.id ? before.segment : { status: "pending_review", statusReason: "BEHIND_FIRST_AIR" }
    if (each.status === was.status) continue
    const to = was.status as SegmentRecord["status"]
    const from = statesAllowing("Reopen")
    if ((yield* segments.move(each.id, { from, to, reason: was.statusReason, atMs })) === null) return null
    // The station may have read the queue between its answer and the commit.
    if (each.status === "queued" || each.status === "scheduled")
      yield* (yield* Transaction).afterCommit(withdraw(each.id, "REVIEW_REOPENED"))
  }
  if (kind === "first_air") yield* saveGate(segment.agentId, before.gate)
  return before
})
interface State {
  readonly status: SegmentRecord["status"]
  readonly statusReason: string | null
  readonly hidden: boolean
}
/** Reviews of segments. A judgement applies in review, in the queue, on the air and after airing. */
export const segmentReview = makeRemovable({
  type: "segment",
  entity: Studio,
  key: "agent",
  find: (id) => Effect.flatMap(Segments, (segments) => segments.find(id)),
  notFound: (id) => new SegmentNotFound({ detail: `There is no segment ${id}.` }),
  agentOf: ({ agentId }) => agentId,
  card: (segment) => ({ ...segmentCard(segment, "segment"), status: "held" }),
  apply,
  restore,
  state: ({ rerunHold, status, statusReason }: SegmentRecord): State => ({ status, statusReason, hidden: rerunHold }),
  statusOf: ({ status }) => status,
  isUnchanged: (before, to) => before.status === to.status && before.hidden === to.hidden,
  applyJudgement: (segment, { judgement, reason }) => {
    const { rerunHold: hidden, status, statusReason } = segment
    const ruled = rulingOf(status, judgement)
    if (ruled === null || ruled._tag === "Unchanged") return ruled === null ? null : { status, statusReason, hidden }
    const because = reasonNow(segment, judgement === "release", reason)
    return ruled._tag === "Copies"
      ? { status, statusReason: because, hidden: ruled.hidden }
      : Result.match(advance(status, ruled.step), {
          onFailure: () => null,
          onSuccess: (to) => ({ status: to, statusReason: because, hidden })
        })
  },
  move: Effect.fnUntraced(function* (segment: SegmentRecord, { hidden, status, statusReason: reason }: State, cause) {
    const { id } = segment
    const moved =
      status === segment.status
        ? yield* (yield* SegmentsWriter).hide(id, { hidden, reason, atMs: yield* Clock.currentTimeMillis })
        : yield* moveTo(segment, status, reason)
    if (moved === null) return false
    // A scheduled segment may already be heard, because the store lags behind the air.
    if (segment.status === "scheduled" || (cause === "remove" && segment.status === "airing"))
      yield* (yield* Transaction).afterCommit(takeOff(id))
    if (status === "queued") yield* enqueueReady([moved])
    return true
  }),
  settle: Effect.fnUntraced(function* (segment: SegmentRecord, judgement, { reason }) {
    if (judgement !== "remove" || segment.status !== "pending_review") return false
    yield* closeBehind(segment, reason ?? "REMOVED")
    return true
  }),
  view: (segment) => Effect.map(stationFacts, (facts) => ({ segment: ownerView(segment, facts) }))
})
/** Changes an agent's grants. Free air releases the segments behind the first air; the first air itself stays in review. */
export const grant = Effect.fnUntraced(function* (agentId: AgentId, patch: GrantsPatch, act: Act) {
  const standings = yield* Standings
  return yield* command({
    run: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const before = yield* standings.grants(agentId)
      const free =
        patch.freeAir === true && !before.freeAir
          ? { requiresSegmentReview: patch.requiresSegmentReview ?? false, canBroadcast: patch.canBroadcast ?? true }
          : {}
      const next = Grants.make({ ...before, ...patch, ...free })
      const added = next.peerReviewScopes.filter((scope) => !before.peerReviewScopes.includes(scope))
      if (added.length > 0) {
        const tier = next.tierPin ?? (yield* (yield* Ranks).find(agentId)).earnedTier
        if (peerWeight(tier) === null)
          return yield* new SubjectConflict({
            detail: `Peer review is granted from tier T${peerTierMin} on; the agent is T${tier}. Pin a tier with it, or wait.`
          })
      }
      yield* saveGrants(agentId, next, now)
      yield* record(act, "agent.grants", { type: "agent", id: agentId }, before, next)
      yield* emit({ _tag: "AgentGrantsChanged", agentId })
      const gate = yield* standings.gate(agentId)
      if (applyGrant(gate.state, next.freeAir) === "free_air" && !before.freeAir)
        yield* enqueueReady(yield* releaseBehind(agentId))
      return next
    })
  })
})
/** Ends a segment whose review or place is overdue. False when it isn't. */
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
/** Deletes a sound that never aired: files first, then the rows, so that after a crash the next run finds the rows and finishes. */
export const dropSound = Effect.fnUntraced(function* ({
  assetId,
  segmentId
}: {
  readonly segmentId: SegmentId
  readonly assetId: AssetId
}) {
  const removed = yield* Effect.result((yield* Prepare).discard(assetId))
  if (Result.isFailure(removed))
    return yield* Effect.logWarning(
      `segments: the sound of ${segmentId} could not be removed: ${removed.failure.detail}`
    )
  return yield* (yield* Transaction).run(
    Effect.andThen((yield* SegmentsWriter).removeSound(segmentId), (yield* Assets).remove(assetId))
  )
})
/** Cancels all segments of an agent that have not begun. Answers their number. */
export const silence = Effect.fnUntraced(function* (agentId: AgentId, reason: string) {
  const segments = yield* Segments
  const waiting = yield* segments.listWaiting(agentId)
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
