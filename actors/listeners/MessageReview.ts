import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import {
  applyReview,
  applyJudgement,
  messageCard,
  type MessageState,
  reviewTypeOf
} from "../../engine/rules/listeners/Message.ts"
import { Calls, CallsWriter } from "../../engine/store/listeners/Calls.ts"
import { Interactions, InteractionsWriter } from "../../engine/store/listeners/Messages.ts"
import { messagesForOps } from "../../engine/store/listeners/MessageViews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Interaction } from "../../schema/listeners/Message.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import { moveByState, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { takeOff, withdraw } from "../runtime/StationQueue.ts"
import { addJob } from "../runtime/Jobs.ts"
import { PrepareCall } from "./protocol/Jobs.ts"
import { tellAddressee } from "./Messages.ts"
import { Message } from "./protocol/Message.ts"
import { credit } from "../air/inTransaction.ts"

/** Applies the decision to a message's call: prepares an approved call for air, removes any other from the rundown or the air. */
const moveCall = Effect.fnUntraced(function* (message: Interaction, isApproved: boolean) {
  const calls = yield* CallsWriter
  const call = yield* calls.find(message.id)
  if (call === null) return
  const atMs = yield* Clock.currentTimeMillis
  const { afterCommit } = yield* Transaction
  if (isApproved) {
    yield* credit({
      subjectId: call.segmentId,
      label: message.listenerLabel,
      sourceId: message.id,
      humanId: message.humanId
    })
    if (yield* calls.setAir(message.id, ["off", "failed"], { status: "preparing", atMs }))
      yield* addJob(PrepareCall, { key: message.id, payload: { interactionId: message.id } })
  } else if (yield* calls.setAir(message.id, ["preparing", "queued", "scheduled", "failed"], { status: "off", atMs }))
    yield* afterCommit(withdraw(call.segmentId, "WITHDRAWN"))
  else if (call.airStatus === "airing") yield* afterCommit(takeOff(call.segmentId))
})
/** Moves a message and its call. False when it was moved concurrently. */
const moveTo = Effect.fnUntraced(function* (message: Interaction, to: MessageState) {
  if (!(yield* (yield* InteractionsWriter).move(message.id, message.moderationStatus, to))) return false
  const isApproved = to.moderationStatus === "approved"
  if (to.moderationStatus !== "aired" && isApproved !== (message.moderationStatus === "approved")) {
    yield* moveCall(message, isApproved)
    if (isApproved) yield* tellAddressee(message)
  }
  return true
})
const messageReview = <Type extends "write_in" | "call_in">(type: Type) =>
  makeRemovable({
    type,
    entity: Message,
    key: "subject",
    find: Effect.fnUntraced(function* (id: string) {
      const message = yield* (yield* Interactions).find(id)
      return message === null || reviewTypeOf(message) !== type ? null : message
    }),
    notFound: noneOf("message"),
    agentOf: () => null,
    card: (message) => messageCard(message),
    applyJudgement: (message, { judgement }) => applyJudgement(message, judgement),
    isUnchanged: (before, to) => before.moderationStatus === to.moderationStatus && before.visibility === to.visibility,
    // An aired message needs no review: only its copy is hidden or shown.
    settle: ({ moderationStatus }) => Effect.succeed(moderationStatus === "aired"),
    view: Effect.fnUntraced(function* (message: Interaction) {
      const [view] = yield* messagesForOps([message], (yield* StationConfig).publicUrl)
      return { message: view! }
    }),
    ...moveByState({
      state: ({ moderationStatus, visibility }: Interaction): MessageState => ({ moderationStatus, visibility }),
      statusOf: ({ moderationStatus }) => moderationStatus,
      applyVerdict: (state, { status }) => applyReview(state, status),
      canUndo: Effect.fnUntraced(function* ({ id }: Interaction) {
        if ((yield* (yield* Calls).find(id))?.airStatus === "airing")
          return yield* new ReviewConflict({ detail: "It is on the air. Remove the call instead." })
        return true
      }),
      move: moveTo
    })
  })
/** Reviews of write-ins and dedications. */
export const writeInReview = messageReview("write_in")
/** Reviews of calls. */
export const callInReview = messageReview("call_in")
