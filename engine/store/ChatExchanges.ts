import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { ExchangeState, OpenExchange } from "../../schema/Chat.ts"
import type { AgentId, ExchangeId, MessageId } from "../../schema/Ids.ts"

/** A question to an agent and what came of it. */
export interface ExchangeRecord extends OpenExchange {
  readonly handle: string
  readonly replyMessageId: MessageId | null
  readonly completedAtMs: number | null
}

/** Questions in the chat. Only `Room` writes here. */
export class ChatExchanges extends Context.Service<ChatExchanges, {
  readonly open: (exchange: OpenExchange) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<ExchangeRecord | null>
  /** The one that a message opened. */
  readonly ofMessage: (messageId: string) => Effect.Effect<ExchangeRecord | null>
  /** All that wait, the oldest first. */
  readonly waiting: Effect.Effect<ReadonlyArray<ExchangeRecord>>
  /** When this asker last asked this agent. */
  readonly lastAsked: (asker: string, agentId: AgentId) => Effect.Effect<number | null>
  /** Those who asked since an instant: whom they may not ask again yet. */
  readonly askedSince: (sinceMs: number) => Effect.Effect<ReadonlyArray<{ readonly asker: string; readonly handle: string; readonly atMs: number }>>
  /** Moves it if it still is one of `from`; null when it isn't: then somebody else was first. `completedAtMs` ends it. */
  readonly move: (id: ExchangeId, from: ReadonlyArray<ExchangeState>, to: ExchangeState, completedAtMs: number | null, replyMessageId: MessageId | null) => Effect.Effect<ExchangeRecord | null>
}>()("longwave/engine/store/ChatExchanges") {
  static readonly layer = Layer.effect(ChatExchanges, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => `round(extract(epoch from ${column}) * 1000)::float8`
    const select = sql.literal(`SELECT e.id, e.message_id, e.agent_id, a.handle, e.asker, e.state, e.reply_message_id, ${ms("e.opened_at")} AS opened_at_ms, ${ms("e.due_at")} AS due_at_ms,
      ${ms("e.completed_at")} AS completed_at_ms FROM chat_exchanges e JOIN agents a ON a.id = e.agent_id`)
    const one = (rows: Effect.Effect<ReadonlyArray<ExchangeRecord>, unknown>) => Effect.orDie(Effect.map(rows, (found) => found[0] ?? null))
    const find = (id: string) => one(sql<ExchangeRecord>`${select} WHERE e.id = ${id}`)
    return ChatExchanges.of({
      open: (exchange) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO chat_exchanges (id, message_id, agent_id, asker, state, opened_at, due_at)
        VALUES (${exchange.id}, ${exchange.messageId}, ${exchange.agentId}, ${exchange.asker}, ${exchange.state}, ${at(exchange.openedAtMs)}, ${at(exchange.dueAtMs)})`)),
      find,
      ofMessage: (messageId) => one(sql<ExchangeRecord>`${select} WHERE e.message_id = ${messageId} ORDER BY e.opened_at DESC LIMIT 1`),
      waiting: Effect.orDie(sql<ExchangeRecord>`${select} WHERE e.completed_at IS NULL ORDER BY e.due_at, e.id`),
      lastAsked: (asker, agentId) => Effect.orDie(Effect.map(sql<{ readonly atMs: number | null }>`
        SELECT ${sql.literal(ms("max(opened_at)"))} AS at_ms FROM chat_exchanges WHERE asker = ${asker} AND agent_id = ${agentId}`, ([row]) => row?.atMs ?? null)),
      askedSince: (sinceMs) => Effect.orDie(sql<{ readonly asker: string; readonly handle: string; readonly atMs: number }>`
        SELECT e.asker, a.handle, ${sql.literal(ms("max(e.opened_at)"))} AS at_ms FROM chat_exchanges e JOIN agents a ON a.id = e.agent_id WHERE e.opened_at > ${at(sinceMs)} GROUP BY e.asker, a.handle`),
      move: (id, from, to, completedAtMs, replyMessageId) => Effect.orDie(Effect.flatMap(sql`
        UPDATE chat_exchanges SET state = ${to}, completed_at = ${at(completedAtMs)}, reply_message_id = coalesce(${replyMessageId}, reply_message_id)
        WHERE id = ${id} AND state IN ${sql.in(from)} RETURNING id`, (rows) => rows.length === 0 ? Effect.succeed(null) : find(id)))
    })
  }))
}
