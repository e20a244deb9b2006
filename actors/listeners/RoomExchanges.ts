import { Clock, Effect } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { chatAnswerMin } from "../../engine/rules/inbox/limits.ts"
import { addressingOf } from "../../engine/rules/listeners/Chat.ts"
import { type ExchangeMove, isOpen, applyMove, movesFrom } from "../../engine/rules/listeners/ChatExchange.ts"
import { ChatExchanges, ChatExchangesWriter, type ExchangeRecord } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessagesWriter } from "../../engine/store/listeners/ChatMessages.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { AgentId, ExchangeId, MessageId } from "../../schema/Ids.ts"
import { standingOf } from "./RoomAgents.ts"
import { RoomBoard } from "./RoomBoard.ts"
import { emitToInbox } from "../inbox/inTransaction.ts"
import { emit } from "../runtime/emit.ts"
import type { ChatRecord } from "../../schema/listeners/Chat.ts"

/** Publishes a question on the chat stream after the commit. */
export const publishExchange = Effect.fnUntraced(function* (exchange: ExchangeRecord) {
  const { exchange: show } = yield* RoomBoard
  yield* (yield* Transaction).afterCommit(show(exchange))
})

/** Moves a question in the caller's transaction. Null when the move is not allowed, for example from an ended question. */
export const advance = Effect.fnUntraced(function* (
  exchange: ExchangeRecord,
  move: ExchangeMove,
  replyMessageId: MessageId | null = null
) {
  const to = applyMove(exchange.state, move)
  if (to === null) return null
  const nowMs = yield* Clock.currentTimeMillis
  const changed = yield* (yield* ChatExchangesWriter).move(
    exchange.id,
    movesFrom(move),
    to,
    isOpen(to) ? null : nowMs,
    replyMessageId
  )
  if (changed === null) return null
  if (!isOpen(to))
    yield* emitToInbox({
      _tag: "ChatExchangeEnded",
      agentId: changed.agentId,
      messageId: changed.messageId,
      exchangeId: changed.id,
      outcome: to
    })
  yield* publishExchange(changed)
  return changed
})

/** Opens a question to the addressed agent. Null when there is none or it can't be addressed now. */
export const openExchange = Effect.fnUntraced(function* ({
  agentId: by,
  author,
  id: messageId,
  targetAgentId
}: ChatRecord) {
  if (targetAgentId === null) return null
  const exchanges = yield* ChatExchangesWriter
  const nowMs = yield* Clock.currentTimeMillis
  const waiting = yield* exchanges.waiting
  const standing = yield* standingOf(targetAgentId, waiting, nowMs)
  if (standing === null || !addressingOf(standing, yield* exchanges.findLastAsked(author, targetAgentId), nowMs).open)
    return null
  const id = (yield* (yield* IdSource).make("exc")) as ExchangeId
  yield* exchanges.open({
    id,
    messageId,
    agentId: targetAgentId,
    asker: author,
    state: "queued",
    openedAtMs: nowMs,
    dueAtMs: nowMs + chatAnswerMin * 60_000
  })
  yield* (yield* ChatMessagesWriter).setExchange(messageId, id)
  yield* emit({ _tag: "ChatAddressed", agentId: targetAgentId, messageId, exchangeId: id, by })
  return yield* exchanges.find(id)
})

/** The question to this agent that a message answers, open or not. */
export const findAnswered = Effect.fnUntraced(function* (agentId: AgentId | null, replyToId: string | null) {
  if (agentId === null || replyToId === null) return null
  const asked = yield* (yield* ChatExchanges).findByMessage(replyToId)
  return asked?.agentId === agentId ? asked : null
})

const waitingOf = Effect.fnUntraced(function* (so: (exchange: ExchangeRecord) => boolean) {
  return (yield* (yield* ChatExchanges).waiting).filter(so)
})

/** Moves all matching questions, each in its own transaction. */
export const advanceAll = Effect.fnUntraced(function* (move: ExchangeMove, so: (exchange: ExchangeRecord) => boolean) {
  const { run } = yield* Transaction
  yield* Effect.forEach(yield* waitingOf(so), (exchange) => run(advance(exchange, move)), { discard: true })
})
