import { Clock, Context, Effect, Layer } from "effect"
import { StationConfig } from "../engine/Config.ts"
import { chatCooldownSec, chatPendingKeptMax, chatShown } from "../engine/Limits.ts"
import { ChatExchanges } from "../engine/store/ChatExchanges.ts"
import { ChatMessages, chatMessageView, type ChatRecord } from "../engine/store/ChatMessages.ts"
import type { ChatAgent } from "../schema/Chat.ts"
import { Bus } from "./Bus.ts"
import { Board, type ToldExchange } from "./ChatBoard.ts"

/** The board of this process: what `Room` has made certain, for whoever reads or follows. */
export class RoomBoard extends Context.Service<RoomBoard, {
  /** As the store has it. */
  readonly begin: Effect.Effect<void>
  /** Drops what the store no longer has. */
  readonly keep: Effect.Effect<void>
  readonly show: (message: ChatRecord, wasPublic: boolean) => Effect.Effect<void>
  readonly exchange: (exchange: ToldExchange) => Effect.Effect<void>
  readonly present: (agents: ReadonlyArray<ChatAgent>) => Effect.Effect<void>
}>()("longwave/actors/RoomBoard") {
  static readonly layer = Layer.effect(RoomBoard, Effect.gen(function*() {
    const bus = yield* Bus
    const exchanges = yield* ChatExchanges
    const messages = yield* ChatMessages
    const { publicUrl } = yield* StationConfig
    const board = new Board(bus.logs.chat)
    const view = (record: ChatRecord) => chatMessageView(record, publicUrl)
    const posted = Effect.suspend(() => bus.put("chat", board.messages))
    const now = Clock.currentTimeMillis
    return RoomBoard.of({
      begin: Effect.gen(function*() {
        const nowMs = yield* now
        const page = yield* messages.page(null, { limit: chatShown, cursor: null })
        const waiting = yield* messages.waiting(chatPendingKeptMax)
        const open = yield* exchanges.waiting
        const asked = yield* exchanges.askedSince(nowMs - chatCooldownSec * 1_000)
        board.begin({ messages: page!.records.map(view), waiting: waiting.map((record) => ({ author: record.author, message: view(record) })), asked, exchanges: open })
        yield* bus.put("chatBoard", board)
        yield* posted
      }),
      keep: Effect.gen(function*() {
        const ids = (rows: ReadonlyArray<{ readonly id: string }>) => new Set(rows.map(({ id }) => id))
        const stored = { messages: ids((yield* messages.page(null, { limit: chatShown, cursor: null }))!.records), waiting: ids(yield* messages.waiting(chatPendingKeptMax)), exchanges: ids(yield* exchanges.waiting) }
        board.keep(stored, yield* now)
        yield* posted
      }),
      show: (record, wasPublic) => Effect.flatMap(now, (nowMs) => {
        board.show(view(record), record.author, wasPublic, nowMs)
        return posted
      }),
      exchange: (exchange) => Effect.map(now, (nowMs) => board.exchange(exchange, nowMs)),
      present: (agents) => Effect.map(now, (nowMs) => board.present(agents, nowMs))
    })
  }))
}
