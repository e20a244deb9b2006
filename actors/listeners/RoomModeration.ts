import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { chatCard } from "../../engine/rules/listeners/Chat.ts"
import { applyReviewWithReason, applyJudgementWithReason, type WritingState } from "../../engine/rules/social/Post.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { ChatExchanges } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessages, ChatMessagesWriter } from "../../engine/store/listeners/ChatMessages.ts"
import { ChatMutesWriter } from "../../engine/store/listeners/ChatMutes.ts"
import { Humans } from "../../engine/store/people/Humans.ts"
import { Listeners } from "../../engine/store/listeners/Listeners.ts"
import { Reviews } from "../../engine/store/moderation/Reviews.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { Mute, ChatRecord } from "../../schema/listeners/Chat.ts"
import { NotFound } from "../../schema/Problems.ts"
import type { SocialStatus } from "../../schema/moderation/SocialStatus.ts"
import { type Act, record } from "../runtime/audit.ts"
import { moveByState, type Cause, noneOf, makeRemovable } from "../moderation/Reviews.ts"
import { Room } from "./protocol/Room.ts"
import { RoomBoard } from "./RoomBoard.ts"
import { advance, advanceAll, findAnswered } from "./RoomExchanges.ts"
import { publish } from "./RoomMessages.ts"
import { chatMessageForOps } from "../../engine/rules/listeners/ChatView.ts"

/** Ends the question the message asked and the one it answers. */
const endExchanges = Effect.fnUntraced(function* (message: ChatRecord) {
  for (const exchange of [
    yield* (yield* ChatExchanges).findByMessage(message.id),
    yield* findAnswered(message.agentId, message.replyToId)
  ]) {
    if (exchange !== null) yield* advance(exchange, "moderate")
  }
})
/** Moves a message and its questions. False when it was moved concurrently. */
const moveTo = Effect.fnUntraced(function* (
  message: ChatRecord,
  to: SocialStatus,
  reason: string | null,
  decidedAtMs: number | null
) {
  const messages = yield* ChatMessagesWriter
  if (!(yield* messages.move(message.id, { from: message.status, to, reason, decidedAtMs }))) return false
  const now = (yield* messages.find(message.id))!
  if (to === "approved") {
    yield* publish(now)
    return true
  }
  yield* (yield* Transaction).afterCommit((yield* RoomBoard).show(now, message.status === "approved"))
  // A message back in review may still be published: its question stays open until it is due.
  if (to === "rejected" || to === "removed") yield* endExchanges(now)
  return true
})
/** Reviews of chat messages. */
export const chatReview = makeRemovable({
  type: "chat_message",
  auditName: "chat",
  entity: Room,
  key: "station",
  find: (id) => Effect.flatMap(ChatMessages, (messages) => messages.find(id)),
  notFound: noneOf("message"),
  agentOf: ({ agentId }) => agentId,
  card: chatCard,
  applyJudgement: applyJudgementWithReason,
  view: (message) => Effect.map(StationConfig, ({ publicUrl }) => ({ message: chatMessageForOps(message, publicUrl) })),
  ...moveByState({
    state: ({ status, statusReason }: ChatRecord): WritingState => ({ status, statusReason }),
    statusOf: ({ status }) => status,
    applyVerdict: applyReviewWithReason,
    move: Effect.fnUntraced(function* (message: ChatRecord, { status, statusReason }: WritingState, cause: Cause) {
      const decidedAtMs = cause === "undo" ? null : yield* Clock.currentTimeMillis
      return yield* moveTo(message, status, statusReason, decidedAtMs)
    })
  })
})
interface Silence {
  readonly type: Mute["type"]
  readonly id: string
  readonly untilMs: number | null
}
/** Mutes a speaker until `untilMs`; null lifts the mute. Earlier messages stay. */
export const mute = Effect.fnUntraced(function* ({ id, type, untilMs }: Silence, act: Act) {
  const known =
    type === "agent"
      ? yield* (yield* Agents).find(id)
      : id.startsWith("lsn_")
        ? yield* (yield* Listeners).find(id)
        : yield* (yield* Humans).find(id)
  if (known === null) return yield* new NotFound({ detail: `There is no ${type} ${id}.` })
  const mutes = yield* ChatMutesWriter
  const atMs = yield* Clock.currentTimeMillis
  const reason = act.reason ?? ""
  const before = yield* mutes.find([id], atMs)
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* untilMs === null ? mutes.lift(id) : mutes.set({ subjectId: id, untilMs, reason, by: act.actor, atMs })
      yield* record(
        act,
        untilMs === null ? "chat.unmute" : "chat.mute",
        { type, id },
        before === null ? null : { untilMs: before.untilMs },
        untilMs === null ? null : { untilMs }
      )
    })
  )
  return { type, id, until: untilMs === null ? null : new Date(untilMs).toISOString(), reason }
})
/** Removes the messages of an author who left and ends questions by and to them. Their rows may be gone already. */
export const forget = Effect.fnUntraced(function* (author: string) {
  const messages = yield* ChatMessagesWriter
  const { keep, show } = yield* RoomBoard
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const ids = yield* messages.forget(author, "AUTHOR_LEFT")
      yield* (yield* Reviews).forget("chat_message", ids)
      const gone = yield* Effect.forEach(ids, (id) => messages.find(id))
      for (const message of gone)
        if (message !== null)
          yield* (yield* Transaction).afterCommit(show({ ...message, status: "removed" }, message.status === "removed"))
    })
  )
  yield* advanceAll("moderate", ({ asker }) => asker === author)
  yield* advanceAll("decline", ({ agentId }) => agentId === author)
  yield* keep
})
