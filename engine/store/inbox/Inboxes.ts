import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import type { AgentId } from "../../../schema/Ids.ts"
import { Disposition, InboxKind, type Laid } from "../../../schema/inbox/Inbox.ts"
import { followersNamedMax, openSessionsShownMax } from "../../rules/inbox/limits.ts"
import { at, ms } from "../sql/instants.ts"
import { countChanged, row, rows, run } from "../sql/rows.ts"

/** A stored item with its subject's current text. */
const InboxRecord = Schema.Struct({
  id: Schema.String,
  kind: InboxKind,
  subjectType: Schema.String,
  subjectId: Schema.String,
  sessionId: Schema.NullOr(Schema.String),
  words: Schema.NullOr(Schema.String),
  count: Schema.Int,
  fromHandle: Schema.NullOr(Schema.String),
  fromLabel: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  dueAtMs: Schema.NullOr(Schema.Finite),
  expiresAtMs: Schema.NullOr(Schema.Finite),
  disposition: Schema.NullOr(Disposition)
})
export type InboxRecord = typeof InboxRecord.Type

const items = rows(InboxRecord)
const unreadItems = rows(Schema.Struct({ ...InboxRecord.fields, unreadCount: Schema.Int }))
const unreadCount = row(Schema.Struct({ count: Schema.Int }))
const itemIds = rows(Schema.Struct({ id: Schema.String }))
const ids = (found: ReadonlyArray<{ readonly id: string }>) => found.map(({ id }) => id)

/** Handling of rows that another transaction has locked: wait for its end, or skip them. */
export type HeldRows = "wait" | "skip"

export interface NewInboxItem extends Laid {
  readonly id: string
  readonly createdAtMs: number
  readonly expiresAtMs: number | null
  /** Sequence number of the event, so that it is counted once. */
  readonly sequence: number
}

/** Inbox items of agents. Only the follower of the outbox adds items; only the agent's `Desk` completes them. */
export class InboxesWriter extends Context.Service<InboxesWriter>()("longwave/engine/store/InboxesWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    // Items with an unreadable subject are hidden and return with it. Open calls aren't stored per agent: the newest joinable ones are added to every
    // inbox, unless the agent has an item about them.
    const calls = (agentId: AgentId, nowMs: number) => sql`
      SELECT ${agentId}::text AS agent_id, 'open_session:' || p.id AS id, 'open_session' AS kind, 'session' AS subject_type, p.id AS subject_id, p.id AS session_id, p.body->>'title' AS note,
        p.host_agent_id AS from_agent_id, 0::bigint AS last_sequence, 1 AS count, p.created_at, p.joinable_until AS due_at, p.joinable_until AS expires_at, NULL::text AS disposition
      FROM panel_sessions p WHERE p.joinable_until > ${at(nowMs)} AND NOT EXISTS (SELECT FROM panel_seats s WHERE s.session_id = p.id AND s.agent_id = ${agentId})
        AND NOT EXISTS (SELECT FROM inbox_items l WHERE l.agent_id = ${agentId} AND l.id = 'open_session:' || p.id)`
    const laid = sql`agent_id, id, kind, subject_type, subject_id, session_id, note, from_agent_id, last_sequence, count, created_at, due_at, expires_at, disposition`
    const from = (agentId: AgentId, nowMs: number) => sql`
      FROM (SELECT ${laid} FROM inbox_items WHERE agent_id = ${agentId}
        UNION ALL (${calls(agentId, nowMs)} ORDER BY p.created_at DESC, p.id DESC LIMIT ${openSessionsShownMax})) b LEFT JOIN agents a ON a.id = b.from_agent_id AND a.deleted_at IS NULL
      LEFT JOIN comments c ON b.kind = 'profile_comment' AND c.id = b.subject_id AND c.status = 'approved' AND a.id IS NOT NULL
      LEFT JOIN interactions i ON b.kind = 'listener_msg' AND i.id = b.subject_id AND i.moderation_status IN ('approved', 'aired')
      LEFT JOIN chat_messages m ON b.kind = 'chat_addressed' AND m.id = b.subject_id AND m.status = 'approved'
      LEFT JOIN panel_sessions p ON b.kind = 'open_session' AND p.id = b.session_id LEFT JOIN panel_seats s ON s.session_id = p.id AND s.agent_id = b.agent_id`
    // An answered invitation, and a session without free seats, need no action.
    const isAsking = (nowMs: number) =>
      sql`(b.kind <> 'open_session' OR p.id IS NULL OR CASE WHEN s.agent_id IS NULL THEN p.joinable_until > ${at(nowMs)} ELSE s.invited AND NOT s.done AND p.status IN ('accepting_guests', 'recording') END)`
    const isLive = (
      agentId: AgentId,
      nowMs: number
    ) => sql`b.agent_id = ${agentId} AND (b.expires_at IS NULL OR b.expires_at > ${at(nowMs)})
      AND (b.kind <> 'profile_comment' OR c.id IS NOT NULL) AND (b.kind <> 'listener_msg' OR i.id IS NOT NULL) AND (b.kind <> 'chat_addressed' OR m.id IS NOT NULL) AND ${isAsking(nowMs)}`
    const columns = sql`b.id, b.kind, b.subject_type, b.subject_id, b.session_id, coalesce(c.body, i.content, m.body, b.note) AS words, b.count, a.handle AS from_handle,
      coalesce(i.listener_label, CASE WHEN m.agent_id IS NULL THEN m.label END) AS from_label, ${ms("b.created_at")} AS created_at_ms, ${ms("b.due_at")} AS due_at_ms, ${ms("b.expires_at")} AS expires_at_ms, b.disposition`
    const select = (agentId: AgentId, nowMs: number) => sql`SELECT ${columns} ${from(agentId, nowMs)}`
    const withoutHeld = (held: HeldRows, which: Statement.Fragment) =>
      held === "wait"
        ? which
        : sql`(agent_id, id) IN (SELECT agent_id, id FROM inbox_items WHERE ${which} FOR UPDATE SKIP LOCKED)`
    const callOf = (id: string) => (id.startsWith("open_session:") ? id.slice(13) : "")
    const placeOf = (agentId: AgentId, id: string) =>
      sql`SELECT created_at, id FROM inbox_items WHERE agent_id = ${agentId} AND id = ${id} UNION ALL SELECT created_at, 'open_session:' || id FROM panel_sessions WHERE id = ${callOf(id)} LIMIT 1`

    return {
      /** Adds the item unless it exists. A digest is counted up instead, and a new decision replaces the former; both become unread. */
      lay: (item: NewInboxItem) =>
        run(sql`
        INSERT INTO inbox_items (agent_id, id, kind, subject_type, subject_id, session_id, note, from_agent_id, last_sequence, created_at, due_at, expires_at)
        VALUES (${item.agentId}, ${item.id}, ${item.kind}, ${item.subjectType}, ${item.subjectId}, ${item.sessionId}, ${item.note}, ${item.fromAgentId}, ${item.sequence},
          ${at(item.createdAtMs)}, ${at(item.dueAtMs)}, ${at(item.expiresAtMs)})
        ON CONFLICT (agent_id, id) DO UPDATE SET count = inbox_items.count + 1, disposition = NULL, last_sequence = excluded.last_sequence,
          note = CASE WHEN inbox_items.kind <> 'follow_digest' THEN excluded.note WHEN inbox_items.count < ${followersNamedMax}::int AND position(excluded.note in inbox_items.note) = 0 THEN inbox_items.note || ', ' || excluded.note ELSE inbox_items.note END
        WHERE inbox_items.kind IN ('follow_digest', 'track_decided') AND inbox_items.last_sequence < excluded.last_sequence`),
      /** Ends an agent's items early; returns their number. */
      end: (
        agentId: AgentId,
        which:
          | { readonly ids: ReadonlyArray<string> }
          | { readonly sessionId: string; readonly kinds: ReadonlyArray<InboxKind> },
        atMs: number,
        held: HeldRows = "wait"
      ) =>
        Effect.orDie(
          Effect.map(
            "ids" in which
              ? sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE ${withoutHeld(held, sql`agent_id = ${agentId} AND id IN ${sql.in(which.ids)}`)} RETURNING id`
              : which.kinds.length === 0
                ? Effect.succeed([])
                : sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE ${withoutHeld(held, sql`agent_id = ${agentId} AND session_id = ${which.sessionId} AND kind IN ${sql.in(which.kinds)}`)} RETURNING id`,
            (rows) => rows.length
          )
        ),
      /** Ends all items about a session. */
      endSession: (sessionId: string, atMs: number, held: HeldRows = "wait") =>
        run(
          sql`UPDATE inbox_items SET expires_at = ${at(atMs)} WHERE ${withoutHeld(held, sql`session_id = ${sessionId} AND expires_at IS NULL`)}`
        ),
      /** Returns the ids that exist. A later disposition replaces an earlier one, except that reading undoes nothing. */
      dispose: (
        agentId: AgentId,
        asked: ReadonlyArray<string>,
        disposition: Disposition,
        nowMs: number,
        held: HeldRows = "wait"
      ) =>
        Effect.andThen(
          asked.some((id) => callOf(id) !== "")
            ? run(sql`
        INSERT INTO inbox_items (${laid}) SELECT ${laid} FROM (${calls(agentId, nowMs)}) c WHERE id IN ${sql.in(asked)} ON CONFLICT DO NOTHING`)
            : Effect.void,
          Effect.map(
            itemIds(sql`
        UPDATE inbox_items SET disposition = CASE WHEN ${disposition}::text = 'seen' THEN coalesce(disposition, 'seen') ELSE ${disposition} END
        WHERE ${withoutHeld(held, sql`agent_id = ${agentId} AND id IN ${sql.in(asked)}`)} RETURNING id`),
            ids
          )
        ),
      /** Newest first; null if the cursor isn't one of this agent's items. */
      list: Effect.fnUntraced(function* (
        agentId: AgentId,
        {
          cursor,
          handled,
          limit,
          nowMs
        }: { readonly handled: boolean; readonly limit: number; readonly cursor: string | null; readonly nowMs: number }
      ) {
        const after = cursor === null ? null : (yield* placeOf(agentId, cursor)).length > 0
        if (after === false) return null
        const found = yield* items(sql`
          ${select(agentId, nowMs)} WHERE ${isLive(agentId, nowMs)} AND ${handled ? sql`true` : sql`b.disposition IS NULL`}
            AND ${cursor === null ? sql`true` : sql`(b.created_at, b.id) < (${placeOf(agentId, cursor)})`}
          ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit + 1}`)
        const records = found.slice(0, limit)
        return { records, next: found.length > limit ? records[records.length - 1]!.id : null }
      }, Effect.orDie),
      countUnread: (agentId: AgentId, nowMs: number) =>
        Effect.map(
          unreadCount(sql`
        SELECT count(*)::int AS count ${from(agentId, nowMs)} WHERE ${isLive(agentId, nowMs)} AND b.disposition IS NULL`),
          (unread) => unread!.count
        ),
      /** The newest items without a disposition, and their total number. */
      listNewest: (agentId: AgentId, limit: number, nowMs: number) =>
        Effect.map(
          unreadItems(sql`
        SELECT ${columns}, count(*) OVER ()::int AS unread_count ${from(agentId, nowMs)} WHERE ${isLive(agentId, nowMs)} AND b.disposition IS NULL ORDER BY b.created_at DESC, b.id DESC LIMIT ${limit}`),
          (records) => ({ records, unreadCount: records[0]?.unreadCount ?? 0 })
        ),
      /** Items that need action, newest first. Turns stay listed after they were seen. */
      listWaiting: (agentId: AgentId, limit: number, nowMs: number) =>
        items(sql`
        ${select(agentId, nowMs)} WHERE ${isLive(agentId, nowMs)} AND (b.disposition IS NULL AND b.kind IN ('listener_msg', 'open_session', 'session_ready', 'webhook_disabled') OR b.kind IN ('session_turn_ready', 'session_turn'))
        ORDER BY b.kind = 'session_turn_ready' DESC, b.created_at DESC, b.id DESC LIMIT ${limit}`),
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM inbox_items WHERE ctid = ANY(ARRAY(SELECT ctid FROM inbox_items WHERE expires_at <= ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Inboxes extends Context.Service<
  Inboxes,
  Pick<InboxesWriter["Service"], "list" | "countUnread" | "listNewest" | "listWaiting">
>()("longwave/engine/store/Inboxes") {
  static readonly layer = Layer.effect(this, InboxesWriter).pipe(Layer.provideMerge(InboxesWriter.layer))
}
