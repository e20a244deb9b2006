import { Clock, Data, Effect } from "effect"
import { judgementTriesMax } from "../../engine/rules/programmes/limits.ts"
import { undecided } from "../../engine/rules/moderation/Review.ts"
import { ruling } from "../../engine/rules/segments/Segment.ts"
import { Reviews } from "../../engine/store/moderation.ts"
import { Segments, ownerView, type SegmentRecord } from "../../engine/store/segments/Segments.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, SegmentId } from "../../schema/Ids.ts"
import { SegmentNotFound, SubjectConflict } from "../../schema/Problems.ts"
import type { Judgement } from "../../schema/moderation/Review.ts"
import { type Act, record } from "../runtime/audit.ts"
import { enqueue, takeOff } from "../runtime/StationQueue.ts"
import { stationFacts } from "../../engine/runtime/Config.ts"
import { openReview } from "./Submission.ts"
import { closeBehind, step } from "./SegmentReview.ts"

const state = ({ rerunHold, status, statusReason }: SegmentRecord) => ({ status, statusReason, hidden: rerunHold })
const reasonOf = (judgement: Judgement, segment: SegmentRecord, act: Act): string | null =>
  judgement === "release" ? (segment.audioStatus === "ready" ? null : "NO_AUDIO") : act.reason
/** What was set aside waits for a person; what was thrown out or set free waits for nobody any more. */
const settleReview = Effect.fnUntraced(function* (
  segment: SegmentRecord,
  judgement: Judgement,
  act: Act,
  atMs: number
) {
  const reviews = yield* Reviews
  if (judgement === "hold") return yield* openReview(segment, "segment", "held")
  if (judgement === "remove" && segment.status === "pending_review")
    return yield* closeBehind(segment, act.reason ?? "REMOVED")
  const review = yield* reviews.openFor("segment", segment.id)
  if (review === null) return
  yield* reviews.decide(review.id, {
    from: undecided,
    status: judgement === "remove" ? "rejected" : "approved",
    reason: act.reason,
    note: null,
    by: act.actor,
    atMs,
    before: null
  })
})
/** The scheduler places and begins segments meanwhile: what it did is taken into account, not handed back to the operator. */
class Moved extends Data.TaggedError("Moved") {}
const attempt = Effect.fnUntraced(function* (agentId: AgentId, segmentId: SegmentId, judgement: Judgement, act: Act) {
  const segments = yield* Segments
  const segment = yield* segments.find(segmentId)
  if (segment === null || segment.agentId !== agentId)
    return yield* new SegmentNotFound({ detail: `There is no segment ${segmentId}.` })
  const ruled = ruling(segment.status, judgement)
  if (ruled === null) {
    return yield* new SubjectConflict({
      detail:
        segment.status === "pending_review"
          ? "It waits for its review: decide on that."
          : `It is ${segment.status}: there is nothing left to ${judgement}.`
    })
  }
  const waits = (yield* (yield* Reviews).openFor("segment", segmentId)) !== null
  const isSo =
    ruled._tag === "Unchanged" ||
    (ruled._tag === "Copies" && ruled.hidden === segment.rerunHold && !(judgement === "remove" && waits))
  const after = isSo
    ? segment
    : yield* (yield* Transaction).run(
        Effect.gen(function* () {
          const atMs = yield* Clock.currentTimeMillis
          const reason = reasonOf(judgement, segment, act)
          const moved =
            ruled._tag === "Copies"
              ? yield* segments.hide(segmentId, { hidden: ruled.hidden, reason, atMs })
              : yield* step(segment, ruled.step, reason)
          if (moved === null) return yield* new Moved()
          yield* settleReview(segment, judgement, act, atMs)
          yield* record(act, `segment.${judgement}`, { type: "segment", id: segmentId }, state(segment), state(moved))
          return moved
        })
      )
  // What counts as scheduled may be heard already: the books follow the sound.
  if (
    (judgement === "remove" && segment.status === "airing") ||
    (segment.status === "scheduled" && after.status !== "scheduled")
  )
    yield* takeOff(segmentId)
  if (after.status === "queued" && after.audioStatus === "ready" && segment.status === "held") yield* enqueue(segmentId)
  return ownerView(after, yield* stationFacts)
})
/** Carries out what an operator wants of a segment, wherever it is: in review, in the queue, on the air or behind us. */
export const judge = (agentId: AgentId, segmentId: SegmentId, judgement: Judgement, act: Act) =>
  attempt(agentId, segmentId, judgement, act).pipe(
    Effect.retry({ times: judgementTriesMax, while: (error) => error._tag === "Moved" }),
    Effect.catchTag("Moved", () =>
      Effect.fail(new SubjectConflict({ detail: "It changed during the decision. Read it again." }))
    )
  )
