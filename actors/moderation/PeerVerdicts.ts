import { Clock, Effect } from "effect"
import { measureVotes, notBindingBecause } from "../../engine/rules/moderation/EffectiveVotes.ts"
import { peerSeatsMax } from "../../engine/rules/moderation/limits.ts"
import { verdictOf } from "../../engine/rules/moderation/PeerReview.ts"
import { type PeerCaseRecord, PeerCasesWriter } from "../../engine/store/moderation/PeerCases.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, ReviewId } from "../../schema/Ids.ts"
import type { PeerSubjectType, PeerVerdict } from "../../schema/moderation/PeerReview.ts"
import type { ReviewStatus } from "../../schema/moderation/Review.ts"
import { iso } from "../../schema/time/Instant.ts"
import { emit } from "../runtime/emit.ts"
import { EventBus } from "../runtime/EventBus.ts"

interface Waiting {
  readonly subjectType: PeerSubjectType
  readonly subjectId: string
  readonly authorId: AgentId | null
  readonly deadlineMs: number
}
/** Asks reviewers of different owners to decide, in the transaction that opened the case. */
export const invitePeers = Effect.fnUntraced(function* ({ authorId, deadlineMs, subjectId, subjectType }: Waiting) {
  for (const agentId of yield* (yield* PeerCasesWriter).invited({ subjectType, subjectId, authorId }, peerSeatsMax))
    yield* emit({ _tag: "PeerReviewWaiting", agentId, subjectType, subjectId, deadline: iso(deadlineMs) })
})

/** Measures the reviewers' common errors again after a verdict. Operators are told when decisions on the kind stop or begin to bind. */
export const measurePeers = Effect.fnUntraced(function* (type: PeerSubjectType) {
  const peers = yield* PeerCasesWriter
  const bus = yield* EventBus
  const [before] = yield* peers.listNotBinding([type])
  const measure = measureVotes(yield* peers.countKnown(type))
  yield* peers.saveMeasure(type, measure, yield* Clock.currentTimeMillis)
  const because = notBindingBecause(measure)
  if ((because === null) === before!.binds) return
  const detail = because === null ? `Peers' decisions on the kind ${type} bind again.` : `Kind ${type}: ${because}`
  yield* (yield* Transaction).afterCommit(
    Effect.asVoid(bus.publish({ _tag: "OpsAlerted", what: "peer_decisions", detail }))
  )
})

/** Stores the operators' verdict on a case. Reviewers whose binding decisions it overturns lose points. */
export const judgeCase = Effect.fnUntraced(function* (
  { id, subjectType }: Pick<PeerCaseRecord, "id" | "subjectType">,
  verdict: PeerVerdict,
  by: string | null
) {
  const peers = yield* PeerCasesWriter
  yield* peers.judge(id, verdict, by, yield* Clock.currentTimeMillis)
  for (const { agentId, id: decisionId } of yield* peers.overturn(id, verdict))
    yield* emit({ _tag: "PeerDecisionOverturned", agentId, decisionId })
  yield* measurePeers(subjectType)
})

/** Applies an operator's decision on a review to its case, if peers have decided anything. */
export const noteVerdict = Effect.fnUntraced(function* (reviewId: ReviewId, status: ReviewStatus, by: string | null) {
  const peers = yield* PeerCasesWriter
  const found = yield* peers.lockOf(reviewId)
  if (found === null) return
  const atMs = yield* Clock.currentTimeMillis
  const verdict = verdictOf(status)
  const end = verdict ?? (status === "withdrawn" ? "withdrawn" : "escalated")
  if (found.status === "pending") yield* peers.close(found.id, { status: end, decidedByPeers: false, atMs })
  if (verdict !== null) yield* judgeCase(found, verdict, by)
})

/** Takes an operator's decision, or the peers', back. The peers go on only where the operator had come before them. */
export const takeVerdictBack = Effect.fnUntraced(function* (reviewId: ReviewId, status: ReviewStatus) {
  const peers = yield* PeerCasesWriter
  const found = yield* peers.lockOf(reviewId)
  if (found === null || found.status === "pending") return
  const waits = status === "open" && !found.decidedByPeers && (yield* Clock.currentTimeMillis) < found.closesAtMs
  yield* peers.reopen(found.id, waits && found.verdict !== null ? "pending" : "escalated")
  if (found.verdict !== null) yield* measurePeers(found.subjectType)
})
