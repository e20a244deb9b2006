import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { type NewChatMessage, ChatRecord } from "../../../schema/listeners/Chat.ts"
import { type ExchangeId, MessageId } from "../../../schema/Ids.ts"
import type { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import type { Move } from "../social/Writings.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run, hasChanged } from "../sql/rows.ts"

const message = row(ChatRecord)
const messages = rows(ChatRecord)
const messageIds = rows(Schema.Struct({ id: MessageId }))
/** Chat messages. Only `Room` writes here. */
export class ChatMessagesWriter extends Context.Service<ChatMessagesWriter>()(
  "longwave/engine/store/ChatMessagesWriter",
  {
    make: Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const select = sql.literal(`
      SELECT m.id, m.agent_id, m.human_id, m.listener_id, m.author, m.label, m.body, m.body_hash, m.target_agent_id, m.reply_to_id, m.exchange_id, m.status,
        m.status_reason, m.flags, ${msText("m.created_at")} AS created_at_ms, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path,
        t.handle AS target_handle
      FROM chat_messages m LEFT JOIN agents a ON a.id = m.agent_id LEFT JOIN agents t ON t.id = m.target_agent_id`)
      const findOne = (where: Statement.Fragment) => message(sql`${select} WHERE ${where}`)
      const readPage = Effect.fnUntraced(function* (where: Statement.Fragment, { cursor, limit }: Paging) {
        if (cursor !== null && (yield* sql`SELECT 1 FROM chat_messages WHERE id = ${cursor}`).length === 0) return null
        const found = yield* messages(
          sql`${select} WHERE ${where} AND ${cursor === null ? sql`true` : sql`m.id < ${cursor}`} ORDER BY m.id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }, Effect.orDie)
      return {
        add: (given: NewChatMessage) =>
          run(sql`
        INSERT INTO chat_messages (id, agent_id, human_id, listener_id, label, body, body_hash, target_agent_id, reply_to_id, exchange_id, status, flags, created_at)
        VALUES (${given.id}, ${given.agentId}, ${given.humanId}, ${given.listenerId}, ${given.label}, ${given.body}, ${given.bodyHash},
          ${given.targetAgentId}, ${given.replyToId}, ${given.exchangeId}, ${given.status}, ${JSON.stringify(given.flags)}::text::jsonb, ${at(given.createdAtMs)})`),
        find: (id: string) => findOne(sql`m.id = ${id}`),
        hasSameBodySince: (author: string, bodyHash: string, sinceMs: number) =>
          Effect.orDie(
            Effect.map(
              sql`
        SELECT 1 FROM chat_messages WHERE author = ${author} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`,
              (rows) => rows.length > 0
            )
          ),
        /** Approved messages and this author's own, newest first. Null if the cursor is unknown. */
        page: (author: string | null, paging: Paging) =>
          readPage(
            sql`(m.status = 'approved' OR m.author = ${author} AND m.status IN ('pending', 'escalated', 'rejected'))`,
            paging
          ),
        /** By state, or in any, for operators. */
        list: (status: SocialStatus | null, paging: Paging) =>
          readPage(status === null ? sql`true` : sql`m.status = ${status}`, paging),
        /** The newest messages visible only to their authors. */
        listWaiting: (limit: number) =>
          messages(sql`${select} WHERE m.status IN ('pending', 'escalated') ORDER BY m.id DESC LIMIT ${limit}`),
        setExchange: (id: MessageId, exchangeId: ExchangeId) =>
          run(sql`UPDATE chat_messages SET exchange_id = ${exchangeId} WHERE id = ${id}`),
        /** Moves a message in state `from`; false if it isn't. */
        move: (id: string, { decidedAtMs, from, reason, to }: Move) =>
          hasChanged(sql`
        UPDATE chat_messages SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING id`),
        /** Erases the messages of an author who left; returns their ids. */
        forget: (author: string, reason: string) =>
          Effect.map(
            messageIds(sql`
        UPDATE chat_messages SET body = '', label = 'a listener', flags = '[]', status_reason = ${reason}, status = CASE status WHEN 'approved' THEN 'removed' WHEN 'removed' THEN 'removed' ELSE 'rejected' END
        WHERE author = ${author} AND body <> '' RETURNING id`),
            (found) => found.map(({ id }) => id)
          ),
        purge: (beforeMs: number) =>
          countChanged(
            sql`DELETE FROM chat_messages WHERE ctid = ANY(ARRAY(SELECT ctid FROM chat_messages WHERE created_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
          )
      }
    })
  }
) {
  static readonly layer = Layer.effect(this, this.make)
}

export class ChatMessages extends Context.Service<
  ChatMessages,
  Pick<ChatMessagesWriter["Service"], "find" | "hasSameBodySince" | "page" | "list" | "listWaiting">
>()("longwave/engine/store/ChatMessages") {
  static readonly layer = Layer.effect(this, ChatMessagesWriter).pipe(Layer.provideMerge(ChatMessagesWriter.layer))
}
