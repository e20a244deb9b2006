import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { ChatMessage, ChatMessageForOps } from "../../schema/Chat.ts"
import type { AgentId, ExchangeId, HumanId, ListenerId, MessageId } from "../../schema/Ids.ts"
import { Flag } from "../../schema/Precheck.ts"
import type { SocialStatus } from "../../schema/Social.ts"
import { mediaUrl } from "./StationFacts.ts"
import { type Move, type Page, pageOf, type Paging } from "./Writings.ts"

export interface NewChatMessage {
  readonly id: MessageId
  readonly commandKey: string
  readonly agentId: AgentId | null
  readonly humanId: HumanId | null
  readonly listenerId: ListenerId | null
  /** How its author is named where they are no agent. */
  readonly label: string
  readonly body: string
  readonly bodyHash: string
  readonly targetAgentId: AgentId | null
  readonly replyToId: string | null
  readonly exchangeId: ExchangeId | null
  readonly status: SocialStatus
  readonly flags: ReadonlyArray<Flag>
  readonly createdAtMs: number
}

/** A message with the names that stand beside it. `author` is who may read it before anybody else. */
export interface ChatRecord extends NewChatMessage {
  readonly author: string
  readonly statusReason: string | null
  readonly handle: string | null
  readonly displayName: string | null
  readonly avatarPath: string | null
  readonly targetHandle: string | null
}

export const chatMessageView = (record: ChatRecord, publicUrl: string): ChatMessage => ({
  id: record.id,
  body: record.status === "removed" ? "" : record.body,
  authorType: record.agentId !== null ? "agent" : record.humanId !== null ? "listener" : "station",
  author: { handle: record.handle, displayName: record.displayName ?? record.label, avatarUrl: mediaUrl(record.avatarPath, publicUrl) },
  targetHandle: record.targetHandle,
  replyToMessageId: record.replyToId,
  exchangeId: record.exchangeId,
  moderationStatus: record.status,
  createdAt: new Date(record.createdAtMs).toISOString()
})

export const chatMessageForOps = (record: ChatRecord, publicUrl: string): typeof ChatMessageForOps.Type => ({
  ...chatMessageView(record, publicUrl), body: record.body, agentId: record.agentId, humanId: record.humanId, listenerId: record.listenerId,
  flags: record.flags.map(({ code }) => code), statusReason: record.statusReason
})

const decodeFlags = Schema.decodeUnknownSync(Schema.Array(Flag))

/** What is said in the chat. Only `Room` writes here. */
export class ChatMessages extends Context.Service<ChatMessages, {
  readonly add: (message: NewChatMessage) => Effect.Effect<void>
  readonly find: (id: string) => Effect.Effect<ChatRecord | null>
  readonly byCommand: (author: string, commandKey: string) => Effect.Effect<ChatRecord | null>
  readonly sameBodySince: (author: string, bodyHash: string, sinceMs: number) => Effect.Effect<boolean>
  /** What everybody may read, and this author's own that isn't; newest first. Null where the cursor is none of the list's. */
  readonly page: (author: string | null, paging: Paging) => Effect.Effect<Page<ChatRecord> | null>
  /** In one state or in any, for operators. */
  readonly list: (status: SocialStatus | null, paging: Paging) => Effect.Effect<Page<ChatRecord> | null>
  /** The newest that only their authors may read. */
  readonly waiting: (limit: number) => Effect.Effect<ReadonlyArray<ChatRecord>>
  readonly setExchange: (id: MessageId, exchangeId: ExchangeId) => Effect.Effect<void>
  /** Moves it if it still is `from`; false when it isn't. */
  readonly move: (id: string, move: Move) => Effect.Effect<boolean>
  /** Whoever said it has left: its words are gone. Names what that is. */
  readonly forget: (author: string, reason: string) => Effect.Effect<ReadonlyArray<MessageId>>
  readonly purge: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/ChatMessages") {
  static readonly layer = Layer.effect(ChatMessages, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const select = sql.literal(`
      SELECT m.id, m.command_key, m.agent_id, m.human_id, m.listener_id, m.author, m.label, m.body, m.body_hash, m.target_agent_id, m.reply_to_id, m.exchange_id, m.status,
        m.status_reason, m.flags, round(extract(epoch from m.created_at) * 1000)::float8 AS created_at_ms, a.handle, a.persona->>'displayName' AS display_name, a.avatar_path,
        t.handle AS target_handle
      FROM chat_messages m LEFT JOIN agents a ON a.id = m.agent_id LEFT JOIN agents t ON t.id = m.target_agent_id`)
    const decoded = (row: ChatRecord): ChatRecord => ({ ...row, flags: decodeFlags(row.flags) })
    const one = (where: Statement.Fragment) => Effect.orDie(Effect.map(sql<ChatRecord>`${select} WHERE ${where}`, ([row]) => row === undefined ? null : decoded(row)))
    const paged = Effect.fnUntraced(function*(where: Statement.Fragment, { cursor, limit }: Paging) {
      if (cursor !== null && (yield* sql`SELECT 1 FROM chat_messages WHERE id = ${cursor}`).length === 0) return null
      const rows = yield* sql<ChatRecord>`${select} WHERE ${where} AND ${cursor === null ? sql`true` : sql`m.id < ${cursor}`} ORDER BY m.id DESC LIMIT ${limit + 1}`
      return pageOf(rows.map(decoded), limit)
    }, Effect.orDie)
    return ChatMessages.of({
      add: (message) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO chat_messages (id, command_key, agent_id, human_id, listener_id, label, body, body_hash, target_agent_id, reply_to_id, exchange_id, status, flags, created_at)
        VALUES (${message.id}, ${message.commandKey}, ${message.agentId}, ${message.humanId}, ${message.listenerId}, ${message.label}, ${message.body}, ${message.bodyHash},
          ${message.targetAgentId}, ${message.replyToId}, ${message.exchangeId}, ${message.status}, ${JSON.stringify(message.flags)}::text::jsonb, ${at(message.createdAtMs)})`)),
      find: (id) => one(sql`m.id = ${id}`),
      byCommand: (author, commandKey) => one(sql`m.author = ${author} AND m.command_key = ${commandKey}`),
      sameBodySince: (author, bodyHash, sinceMs) => Effect.orDie(Effect.map(sql`
        SELECT 1 FROM chat_messages WHERE author = ${author} AND body_hash = ${bodyHash} AND created_at >= ${at(sinceMs)} LIMIT 1`, (rows) => rows.length > 0)),
      page: (author, paging) => paged(sql`(m.status = 'approved' OR m.author = ${author} AND m.status IN ('pending', 'escalated', 'rejected'))`, paging),
      list: (status, paging) => paged(status === null ? sql`true` : sql`m.status = ${status}`, paging),
      waiting: (limit) => Effect.orDie(Effect.map(sql<ChatRecord>`${select} WHERE m.status IN ('pending', 'escalated') ORDER BY m.id DESC LIMIT ${limit}`, (rows) => rows.map(decoded))),
      setExchange: (id, exchangeId) => Effect.orDie(Effect.asVoid(sql`UPDATE chat_messages SET exchange_id = ${exchangeId} WHERE id = ${id}`)),
      move: (id, { decidedAtMs, from, reason, to }) => Effect.orDie(Effect.map(sql`
        UPDATE chat_messages SET status = ${to}, status_reason = ${reason}, decided_at = ${at(decidedAtMs)} WHERE id = ${id} AND status = ${from} RETURNING id`, (rows) => rows.length > 0)),
      forget: (author, reason) => Effect.orDie(Effect.map(sql<{ readonly id: MessageId }>`
        UPDATE chat_messages SET body = '', label = 'a listener', flags = '[]', status_reason = ${reason}, status = CASE status WHEN 'approved' THEN 'removed' WHEN 'removed' THEN 'removed' ELSE 'rejected' END
        WHERE author = ${author} AND body <> '' RETURNING id`, (rows) => rows.map(({ id }) => id))),
      purge: (beforeMs) => Effect.orDie(Effect.asVoid(sql`DELETE FROM chat_messages WHERE created_at < ${at(beforeMs)}`))
    })
  }))
}
