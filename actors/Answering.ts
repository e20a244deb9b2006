import { Clock, Effect } from "effect"
import { Interactions } from "../engine/store/Interactions.ts"
import type { AgentId, InteractionId, SegmentId } from "../schema/Ids.ts"
import { AlreadyFeatured, NotFound } from "../schema/Problems.ts"
import { tell } from "./Telling.ts"

const noMessage = new NotFound({ detail: "No approved message to you or your shows has this id.", errors: [{ pointer: "/listenerMessageId", code: "NOT_FOUND", detail: "names no message that you may answer" }] })
const taken = new AlreadyFeatured({ detail: "Another agent is working on an answer to this message, or has given one." })

/** Writes down that a segment answers a listener's message, in the transaction in which it comes in. Null: it answers none. */
export const answers = Effect.fnUntraced(function*(agentId: AgentId, messageId: string | null, segmentId: SegmentId) {
  if (messageId === null) return
  const interactions = yield* Interactions
  if ((yield* interactions.answerable(messageId, agentId)) === null) return yield* noMessage
  const interactionId = messageId as InteractionId
  if (!(yield* interactions.answer(interactionId, agentId, segmentId, yield* Clock.currentTimeMillis))) return yield* taken
  yield* tell({ _tag: "ListenerMessageAnswered", agentId, interactionId, segmentId })
})
