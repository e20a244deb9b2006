import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { type ExchangeState, OpenExchange } from "../../../schema/listeners/Chat.ts"
import { type AgentId, type ExchangeId, MessageId } from "../../../schema/Ids.ts"
import { at, msText } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

/** A question to an agent and its outcome. */
const ExchangeRecord = Schema.Struct({
  ...OpenExchange.fields,
  handle: Schema.String,
  replyMessageId: Schema.NullOr(MessageId),
  completedAtMs: Schema.NullOr(Schema.Finite)
})
export type ExchangeRecord = typeof ExchangeRecord.Type

const exchange = row(ExchangeRecord)
const exchanges = rows(ExchangeRecord)
const lastInstant = row(Schema.Struct({ atMs: Schema.NullOr(Schema.Finite) }))
const askers = rows(Schema.Struct({ asker: Schema.String, handle: Schema.String, atMs: Schema.Finite }))

/** Questions in the chat. Only `Room` writes here. */
export class ChatExchangesWriter extends Context.Service<ChatExchangesWriter>()(
  "longwave/engine/store/ChatExchangesWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const select =
        sql.literal(`SELECT e.id, e.message_id, e.agent_id, a.handle, e.asker, e.state, e.reply_message_id, ${msText("e.opened_at")} AS opened_at_ms, ${msText("e.due_at")} AS due_at_ms,
      ${msText("e.completed_at")} AS completed_at_ms FROM chat_exchanges e JOIN agents a ON a.id = e.agent_id`)
      const find = (id: string) => exchange(sql`${select} WHERE e.id = ${id}`)
      return {
        open: (given: OpenExchange) =>
          run(sql`
        INSERT INTO chat_exchanges (id, message_id, agent_id, asker, state, opened_at, due_at)
        VALUES (${given.id}, ${given.messageId}, ${given.agentId}, ${given.asker}, ${given.state}, ${at(given.openedAtMs)}, ${at(given.dueAtMs)})`),
        find,
        /** The exchange that a message opened. */
        findByMessage: (messageId: string) =>
          exchange(sql`${select} WHERE e.message_id = ${messageId} ORDER BY e.opened_at DESC LIMIT 1`),
        /** All open exchanges, the oldest first. */
        waiting: exchanges(sql`${select} WHERE e.completed_at IS NULL ORDER BY e.due_at, e.id`),
        /** Time of this asker's last question to this agent. */
        findLastAsked: (asker: string, agentId: AgentId) =>
          Effect.map(
            lastInstant(sql`
        SELECT ${sql.literal(msText("max(opened_at)"))} AS at_ms FROM chat_exchanges WHERE asker = ${asker} AND agent_id = ${agentId}`),
            (last) => last?.atMs ?? null
          ),
        /** Askers since an instant, with the agents they asked and the time of their last question. */
        listAskersSince: (sinceMs: number) =>
          askers(sql`
        SELECT e.asker, a.handle, ${sql.literal(msText("max(e.opened_at)"))} AS at_ms FROM chat_exchanges e JOIN agents a ON a.id = e.agent_id WHERE e.opened_at > ${at(sinceMs)} GROUP BY e.asker, a.handle`),
        /** Moves an exchange in one of the states `from`; null if it isn't. `completedAtMs` ends it. */
        move: (
          id: ExchangeId,
          from: ReadonlyArray<ExchangeState>,
          to: ExchangeState,
          completedAtMs: number | null,
          replyMessageId: MessageId | null
        ) =>
          Effect.flatMap(
            hasChanged(sql`
        UPDATE chat_exchanges SET state = ${to}, completed_at = ${at(completedAtMs)}, reply_message_id = coalesce(${replyMessageId}, reply_message_id)
        WHERE id = ${id} AND state IN ${sql.in(from)} RETURNING id`),
            (moved) => (moved ? find(id) : Effect.succeed(null))
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class ChatExchanges extends Context.Service<
  ChatExchanges,
  Pick<ChatExchangesWriter["Service"], "find" | "findByMessage" | "waiting" | "findLastAsked" | "listAskersSince">
>()("longwave/engine/store/ChatExchanges") {
  static readonly layer = Layer.effect(this, ChatExchangesWriter).pipe(Layer.provideMerge(ChatExchangesWriter.layer))
}
