import { Clock, Effect } from "effect"
import { decidedAs, judgedAs, type MessageState } from "../../engine/rules/listeners/Message.ts"
import { Calls } from "../../engine/store/listeners/Calls.ts"
import { ListenerCredits } from "../../engine/store/air/ListenerCredits.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import { type ReviewRecord, Reviews } from "../../engine/store/moderation.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { InteractionId } from "../../schema/Ids.ts"
import type { Interaction } from "../../schema/listeners/Message.ts"
import { NotFound, ReviewConflict, SubjectConflict } from "../../schema/Problems.ts"
import type { Judgement, ReviewStatus } from "../../schema/moderation/Review.ts"
import { type Act, record } from "../runtime/audit.ts"
import { CallBell } from "./CallWorker.ts"
import { takeOff, withdraw } from "../runtime/StationQueue.ts"
import { tellAddressee } from "./Messages.ts"
import { askForReview } from "../moderation/Reviews.ts"

const movedOn = new ReviewConflict({ detail: "It changed in the meantime. Read it again." })
const stateOf = ({ moderationStatus, visibility }: Interaction): MessageState => ({ moderationStatus, visibility })
const reviewType = ({ type }: Interaction) => (type === "call_in" ? ("call_in" as const) : ("write_in" as const))
/** A call follows its message: approved it is made ready for the air, and else it leaves the rundown. What has been heard stays heard. */
const moveCall = Effect.fnUntraced(function* (message: Interaction, isApproved: boolean) {
  const calls = yield* Calls
  const call = yield* calls.find(message.id)
  if (call === null) return
  const atMs = yield* Clock.currentTimeMillis
  const { afterCommit } = yield* Transaction
  if (isApproved) {
    yield* (yield* ListenerCredits).give({
      subjectId: call.segmentId,
      label: message.listenerLabel,
      sourceId: message.id,
      humanId: message.humanId
    })
    if (yield* calls.setAir(message.id, ["off", "failed"], { status: "preparing", atMs }))
      yield* afterCommit((yield* CallBell).ring)
  } else if (yield* calls.setAir(message.id, ["preparing", "queued", "scheduled", "failed"], { status: "off", atMs }))
    yield* afterCommit(withdraw(call.segmentId, "WITHDRAWN"))
  else if (call.airStatus === "airing") yield* afterCommit(takeOff(call.segmentId))
})
/** Moves it, with all that follows; false when somebody else moved it first. */
const moveTo = Effect.fnUntraced(function* (message: Interaction, to: MessageState) {
  if (!(yield* (yield* Interactions).move(message.id, message.moderationStatus, to))) return false
  const isApproved = to.moderationStatus === "approved"
  if (to.moderationStatus !== "aired" && isApproved !== (message.moderationStatus === "approved")) {
    yield* moveCall(message, isApproved)
    if (isApproved) yield* tellAddressee(message)
  }
  return true
})
/** How messages and calls follow what is decided on their reviews. */
export const messageFollowing = {
  apply: Effect.fnUntraced(function* (review: ReviewRecord, status: ReviewStatus) {
    const message = yield* (yield* Interactions).find(review.subjectId)
    const to = message === null ? null : decidedAs(stateOf(message), status)
    if (message === null || to === null || !(yield* moveTo(message, to))) return yield* movedOn
    return { before: stateOf(message), after: to }
  }),
  restore: Effect.fnUntraced(function* (review: ReviewRecord, kept: unknown) {
    const before = kept as MessageState
    const message = yield* (yield* Interactions).find(review.subjectId)
    const call = message === null ? null : yield* (yield* Calls).find(message.id)
    if (call?.airStatus === "airing")
      return yield* new ReviewConflict({ detail: "It is on the air. Remove the call instead." })
    // What somebody did to it since the decision stands.
    if (
      message === null ||
      message.moderationStatus !== decidedAs(before, review.status)?.moderationStatus ||
      !(yield* moveTo(message, before))
    )
      return yield* movedOn
    return before
  })
}
/** What was thrown out or set free waits for nobody any more; what was set aside waits for a person. */
const settleReview = Effect.fnUntraced(function* (message: Interaction, judgement: Judgement, act: Act) {
  const type = reviewType(message)
  if (judgement === "hold")
    return yield* askForReview({
      kind: type,
      type,
      id: message.id,
      agentId: null,
      flags: message.flags,
      escalated: true,
      title: "Set aside",
      body: message.content ?? ""
    })
  const reviews = yield* Reviews
  const review = yield* reviews.openFor(type, message.id)
  if (review === null) return
  yield* reviews.decide(review.id, {
    from: [review.status],
    status: judgement === "remove" ? "rejected" : "approved",
    reason: act.reason,
    note: null,
    by: act.actor,
    atMs: yield* Clock.currentTimeMillis,
    before: null
  })
})
/** Carries out what an operator wants of a message, whatever was decided on it before. A repeat changes nothing. */
export const judgeMessage = Effect.fn("Audience.judgeMessage")(function* ({
  interactionId,
  judgement,
  ...act
}: Act & { readonly interactionId: InteractionId; readonly judgement: Judgement }) {
  const message = yield* (yield* Interactions).find(interactionId)
  if (message === null) return yield* new NotFound({ detail: `There is no message ${interactionId}.` })
  const to = judgedAs(stateOf(message), judgement)
  if (to === null)
    return yield* new SubjectConflict({
      detail: `It is ${message.moderationStatus}: there is nothing left to ${judgement}.`
    })
  if (to.moderationStatus === message.moderationStatus && to.visibility === message.visibility) return
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      if (!(yield* moveTo(message, to)))
        return yield* new SubjectConflict({ detail: "It changed in the meantime. Read it again." })
      if (to.moderationStatus !== "aired") yield* settleReview(message, judgement, act)
      yield* record(
        act,
        `${reviewType(message)}.${judgement}`,
        { type: reviewType(message), id: message.id },
        stateOf(message),
        to
      )
    })
  )
})
