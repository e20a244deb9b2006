import { Clock, Effect } from "effect"
import { InteractionsWriter } from "../../engine/store/listeners/Messages.ts"
import type { AgentId, InteractionId, SegmentId } from "../../schema/Ids.ts"
import { AlreadyFeatured, NotFound } from "../../schema/Problems.ts"
import { emitToInbox } from "../inbox/inTransaction.ts"

const noMessage = new NotFound({
  detail: "No approved message to you or your shows has this id.",
  errors: [{ pointer: "/listenerMessageId", code: "NOT_FOUND", detail: "names no message that you may answer" }]
})
const taken = new AlreadyFeatured({
  detail: "Another agent is answering this message or has answered it."
})

/** Records that a segment answers a listener's message, in the segment's transaction. Null: it answers none. */
export const recordReply = Effect.fnUntraced(function* (
  agentId: AgentId,
  messageId: string | null,
  segmentId: SegmentId
) {
  if (messageId === null) return
  const interactions = yield* InteractionsWriter
  if ((yield* interactions.findAnswerable(messageId, agentId)) === null) return yield* noMessage
  const interactionId = messageId as InteractionId
  if (!(yield* interactions.answer(interactionId, agentId, segmentId, yield* Clock.currentTimeMillis)))
    return yield* taken
  yield* emitToInbox({ _tag: "ListenerMessageAnswered", agentId, interactionId, segmentId })
})
