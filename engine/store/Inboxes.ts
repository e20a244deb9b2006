import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId } from "../../schema/Ids.ts"
import type { Disposition, InboxKind, Laid } from "../../schema/Inbox.ts"
import { followersNamedMax } from "../Limits.ts"

/** An item as it lies in the store, with what its subject says now. */
export interface InboxRecord {
  readonly id: string
  readonly kind: InboxKind
  readonly subjectType: string
  readonly subjectId: string
  readonly sessionId: string | null
  readonly words: string | null
  readonly count: number
  readonly fromHandle: string | null
  readonly fromLabel: string | null
  readonly createdAtMs: number
  readonly dueAtMs: number | null
  readonly expiresAtMs: number | null
  readonly disposition: Disposition | null
}

export interface NewInboxItem extends Laid {
  readonly id: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  /** Of the event that says so: what was counted once isn't counted again. */
  readonly sequence: number
}

/** What waits on agents' desks. Only the follower of the outbox adds to it, only the agent's `Desk` says that it is done with. */
export class Inboxes extends Context.Service<Inboxes, {
  /** Adds it unless it is there. A digest takes one more instead, and is new again. */
  readonly lay: (item: NewInboxItem) => Effect.Effect<void>
  /** Ends items of an agent before their time; answers how many there were. */
  readonly end: (agentId: AgentId, which: { readonly ids: ReadonlyArray<string> } | { readonly sessionId: string; readonly kinds: ReadonlyArray<InboxKind> }, atMs: number) => Effect.Effect<number>
  /** Everything that was laid on anybody's desk about a session. */
  readonly endSession: (sessionId: string, atMs: number) => Effect.Effect<void>
  /** Answers which of them there are. The later disposition counts, but looking again takes nothing back. */
  readonly dispose: (agentId: AgentId, ids: ReadonlyArray<string>, disposition: Disposition) => Effect.Effect<ReadonlyArray<string>>
  readonly known: (agentId: AgentId, ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<string>>
  /** Newest first; null when the cursor is none of this agent's items. */
  readonly list: (agentId: AgentId, ask: { readonly handled: boolean; readonly limit: number; readonly cursor: string | null; readonly nowMs: number }) => Effect.Effect<{ readonly records: ReadonlyArray<InboxRecord>; readonly next: string | null } | null>
  readonly unread: (agentId: AgentId, nowMs: number) => Effect.Effect<number>
  /** The newest that nothing was done about, and how many there are in all. */
  readonly newest: (agentId: AgentId, limit: number, nowMs: number) => Effect.Effect<{ readonly records: ReadonlyArray<InboxRecord>; readonly unreadCount: number }>
  /** What asks for something to be done, newest first; turns also where they were seen: they stay due. */
  readonly waiting: (agentId: AgentId, limit: number, nowMs: number) => Effect.Effect<ReadonlyArray<InboxRecord>>
  readonly purge: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Inboxes") {
  static readonly layer = Layer.effect(Inboxes, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    // What its subject may not be read any more is on no desk either; it comes back with it.
    const from = sql`
      FROM inbox_items b LEFT JOIN agents a ON a.id = b.from_agent_id AND a.deleted_at IS NULL
      LEFT JOIN comments c ON b.kind = 'profile_comment' AND c.id = b.subject_id AND c.status = 'approved' AND a.id IS NOT NULL
      LEFT JOIN interactions i ON b.kind = 'listener_msg' AND i.id = b.subject_id AND i.moderation_status IN ('approved', 'aired')
      LEFT JOIN chat_messages m ON b.kind = 'chat_addressed' AND m.id = b.subject_id AND m.status = 'approved'`
    const live = (agentId: AgentId, nowMs: number) => sql`b.agent_id = ${agentId} AND (b.expires_at IS NULL OR b.expires_at > ${at(nowMs)})
      AND (b.kind <> 'profile_comment' OR c.id IS NOT NULL) AND (b.kind <> 'listener_msg' OR i.id IS NOT NULL) AND (b.kind <> 'chat_addressed' OR m.id IS NOT NULL)`
    const columns = sql`b.id, b.kind, b.subject_type, b.subject_id, b.session_id, coalesce(c.body, i.content, m.body, b.note) AS words, b.count, a.handle AS from_handle,
      coalesce(i.listener_label, CASE WHEN m.agent_id IS NULL THEN m.label END) AS from_label, ${ms("b.created_at")} AS created_at_ms, ${ms("b.due_at")} AS due_at_ms, ${ms("b.expires_at")} AS expires_at_ms, b.disposition`
    const select = sql`SELECT ${columns} ${from}`
    const ids = (rows: ReadonlyArray<{ readonly id: string }>) => rows.map(({ id }) => id)

    return Inboxes.of({
      lay: (item) => Effect.orDie(Effect.asVoid(sql`
        INSERT INTO inbox_items (agent_id, id, kind, subject_type, subject_id, session_id, note, from_agent_id, last_sequence, created_at, due_at, expires_at)
        VALUES (${item.agentId}, ${item.id}, ${item.kind}, ${item.subjectType}, ${item.subjectId}, ${item.sessionId}, ${item.note}, ${item.fromAgentId}, ${item.sequence},
          ${at(item.createdAtMs)}, ${at(item.dueAtMs)}, ${at(item.expiresAtMs)})
        ON CONFLICT (agent_id, id) DO UPDATE SET count = inbox_items.count + 1, disposition = NULL, last_sequence = excluded.last_sequence,
          note = CASE WHEN inbox_items.count < ${followersNamedMax}::int AND position(excluded.note in inbox_items.note) = 0 THEN inbox_items.note || ', ' || excluded.note ELSE inbox_items.note END
        WHERE inbox_items.kind = 'follow_digest' AND inbox_items.last_sequence < excluded.last_sequence`)),
      end: (agentId, which, atMs) => Effect.orDie(Effect.map("ids" in which
        ? sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE agent_id = ${agentId} AND id IN ${sql.in(which.ids)} RETURNING id`
        : which.kinds.length === 0 ? Effect.succeed([])
        : sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE agent_id = ${agentId} AND session_id = ${which.sessionId} AND kind IN ${sql.in(which.kinds)} RETURNING id`, (rows) => rows.length)),
      endSession: (sessionId, atMs) => Effect.orDie(Effect.asVoid(sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE session_id = ${sessionId} AND expires_at IS NULL`)),
      dispose: (agentId, asked, disposition) => Effect.orDie(Effect.map(sql<{ id: string }>`
        UPDATE inbox_items SET disposition = CASE WHEN ${disposition}::text = 'seen' THEN coalesce(disposition, 'seen') ELSE ${disposition} END
        WHERE agent_id = ${agentId} AND id IN ${sql.in(asked)} RETURNING id`, ids)),
      known: (agentId, asked) => Effect.orDie(Effect.map(sql<{ id: string }>`SELECT id FROM inbox_items WHERE agent_id = ${agentId} AND id IN ${sql.in(asked)}`, ids)),
      list: Effect.fn("Inboxes.list")(function*(agentId, { cursor, handled, limit, nowMs }) {
        const after = cursor === null ? null : (yield* sql`SELECT 1 FROM inbox_items WHERE agent_id = ${agentId} AND id = ${cursor}`).length > 0
        if (after === false) return null
        const rows = yield* sql<InboxRecord>`
          ${select} WHERE ${live(agentId, nowMs)} AND ${handled ? sql`true` : sql`b.disposition IS NULL`}
            AND ${cursor === null ? sql`true` : sql`(b.created_at, b.id) < (SELECT created_at, id FROM inbox_items WHERE agent_id = ${agentId} AND id = ${cursor})`}
          ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit + 1}`
        const records = rows.slice(0, limit)
        return { records, next: rows.length > limit ? records[records.length - 1]!.id : null }
      }, Effect.orDie),
      unread: (agentId, nowMs) => Effect.orDie(Effect.map(sql<{ count: number }>`
        SELECT count(*)::int AS count ${from} WHERE ${live(agentId, nowMs)} AND b.disposition IS NULL`, (rows) => rows[0]!.count)),
      newest: (agentId, limit, nowMs) => Effect.orDie(Effect.map(sql<InboxRecord & { readonly unreadCount: number }>`
        SELECT ${columns}, count(*) OVER ()::int AS unread_count ${from} WHERE ${live(agentId, nowMs)} AND b.disposition IS NULL ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit}`,
        (records) => ({ records, unreadCount: records[0]?.unreadCount ?? 0 }))),
      waiting: (agentId, limit, nowMs) => Effect.orDie(sql<InboxRecord>`
        ${select} WHERE ${live(agentId, nowMs)} AND (b.disposition IS NULL AND b.kind IN ('listener_msg', 'open_session', 'session_ready', 'webhook_disabled') OR b.kind IN ('session_turn_ready', 'session_turn'))
        ORDER BY b.kind = 'session_turn_ready' DESC, b.created_at DESC, b.id DESC LIMIT ${limit}`),
      purge: (beforeMs) => Effect.orDie(Effect.asVoid(sql`DELETE FROM inbox_items WHERE expires_at <= ${at(beforeMs)}`))
    })
  }))
}
