import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import type { AgentId, SegmentId, SessionId, ShowId } from "../../schema/Ids.ts"
import { PanelSession, type SessionStatus } from "../../schema/Panel.ts"
import { type Page, pageOf, type Paging } from "./Writings.ts"

const decode = Schema.decodeUnknownEffect(PanelSession)
const encode = Schema.encodeEffect(PanelSession)

export interface PanelFilter extends Paging {
  readonly showId: ShowId | null
  readonly status: ReadonlyArray<SessionStatus> | null
}

/** What a session is found by while nobody speaks to it. */
export interface PanelMarks {
  readonly wakesAtMs: number | null
  /** Until when an agent can take a seat by itself; null where none can. */
  readonly joinableUntilMs: number | null
}

/** Panels as they stand. Only a panel's own actor writes it, one revision after the other. */
export class Panels extends Context.Service<Panels, {
  readonly find: (id: string) => Effect.Effect<PanelSession | null>
  /** Nobody else writes it until the caller's transaction ends. */
  readonly hold: (id: string) => Effect.Effect<PanelSession | null>
  readonly byCommand: (hostAgentId: AgentId, commandKey: string) => Effect.Effect<PanelSession | null>
  /** No other session of this host begins until the caller's transaction ends; answers how many of its are open. */
  readonly holdHost: (hostAgentId: AgentId) => Effect.Effect<number>
  readonly add: (session: PanelSession, marks: PanelMarks, commandKey: string) => Effect.Effect<PanelSession>
  /** The next revision; null where somebody else has written it meanwhile. */
  readonly save: (session: PanelSession, marks: PanelMarks) => Effect.Effect<PanelSession | null>
  /** Newest first; null when the cursor is unknown. */
  readonly list: (filter: PanelFilter) => Effect.Effect<Page<PanelSession> | null>
  /** Which of these panels may be heard, or were. */
  readonly kept: (stitched: ReadonlyArray<SegmentId>) => Effect.Effect<ReadonlyArray<SegmentId>>
  readonly due: (nowMs: number, limit: number) => Effect.Effect<ReadonlyArray<SessionId>>
  /** When the next deadline of all passes. */
  readonly wakesAt: Effect.Effect<number | null>
  /** Who sits in a session that isn't over, and isn't at the station any more. */
  readonly gone: (limit: number) => Effect.Effect<ReadonlyArray<{ readonly sessionId: SessionId; readonly agentId: AgentId }>>
  /** Whose endpoints want to hear of calls for guests, those who looked in last first. */
  readonly listening: (limit: number) => Effect.Effect<ReadonlyArray<AgentId>>
  /** What was said in it won't be heard. */
  readonly discardTurns: (id: SessionId, reason: string, atMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Panels") {
  static readonly layer = Layer.effect(Panels, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const read = (rest: Statement.Fragment) => Effect.orDie(Effect.flatMap(sql<{ body: unknown }>`SELECT body FROM panel_sessions ${rest}`, (rows) => Effect.forEach(rows, ({ body }) => decode(body))))
    const one = (rest: Statement.Fragment) => Effect.map(read(rest), (rows) => rows[0] ?? null)
    const seats = Effect.fnUntraced(function*({ id, participants }: PanelSession) {
      const rows = participants.map(({ agentId, done, invited }) => ({ agent_id: agentId, invited, done }))
      yield* sql`
        INSERT INTO panel_seats (session_id, agent_id, invited, done)
        SELECT ${id}, s.agent_id, s.invited, s.done FROM jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) AS s (agent_id text, invited boolean, done boolean)
        ON CONFLICT (session_id, agent_id) DO UPDATE SET invited = excluded.invited, done = excluded.done`
    })
    const isOpen = sql`status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce')`
    return Panels.of({
      find: (id) => one(sql`WHERE id = ${id}`),
      hold: (id) => Effect.andThen(Effect.orDie(sql`SELECT 1 FROM panel_sessions WHERE id = ${id} FOR UPDATE`), one(sql`WHERE id = ${id}`)),
      byCommand: (hostAgentId, commandKey) => one(sql`WHERE host_agent_id = ${hostAgentId} AND command_key = ${commandKey}`),
      holdHost: Effect.fn("Panels.holdHost")(function*(hostAgentId) {
        yield* sql`SELECT pg_advisory_xact_lock(hashtext(${`panel:${hostAgentId}`}))`
        return (yield* sql<{ n: number }>`SELECT count(*)::int AS n FROM panel_sessions WHERE host_agent_id = ${hostAgentId} AND ${isOpen}`)[0]!.n
      }, Effect.orDie),
      add: Effect.fn("Panels.add")(function*(session, marks, commandKey) {
        yield* sql`
          INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, wakes_at, joinable_until, body, created_at)
          VALUES (${session.id}, ${commandKey}, ${session.showId}, ${session.hostAgentId}, ${session.status}, ${session.revision}, ${at(marks.wakesAtMs)}, ${at(marks.joinableUntilMs)},
            ${JSON.stringify(yield* encode(session))}::text::jsonb, ${at(session.createdAtMs)})`
        yield* seats(session)
        return session
      }, Effect.orDie),
      save: Effect.fn("Panels.save")(function*(changed, marks) {
        const session = PanelSession.make({ ...changed, revision: changed.revision + 1 })
        const saved = yield* sql`
          UPDATE panel_sessions SET status = ${session.status}, revision = ${session.revision}, wakes_at = ${at(marks.wakesAtMs)}, joinable_until = ${at(marks.joinableUntilMs)},
            body = ${JSON.stringify(yield* encode(session))}::text::jsonb WHERE id = ${session.id} AND revision = ${changed.revision} RETURNING id`
        if (saved.length === 0) return null
        yield* seats(session)
        return session
      }, Effect.orDie),
      list: Effect.fn("Panels.list")(function*({ cursor, limit, showId, status }) {
        if (cursor !== null && (yield* Effect.orDie(sql`SELECT 1 FROM panel_sessions WHERE id = ${cursor}`)).length === 0) return null
        const rows = yield* read(sql`WHERE ${sql.and([
          ...showId === null ? [] : [sql`show_id = ${showId}`],
          ...status === null ? [] : [sql`status IN ${sql.in(status)}`],
          ...cursor === null ? [] : [sql`(created_at, id) < (SELECT c.created_at, c.id FROM panel_sessions c WHERE c.id = ${cursor})`],
          sql`true`
        ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`)
        return pageOf(rows, limit)
      }),
      kept: (stitched) => Effect.orDie(Effect.map(sql<{ id: SegmentId }>`
        SELECT id FROM segments WHERE id IN ${sql.in(stitched)} AND status IN ('queued', 'scheduled', 'airing', 'aired') AND NOT rerun_hold`, (rows) => rows.map(({ id }) => id))),
      due: (nowMs, limit) => Effect.orDie(Effect.map(sql<{ id: SessionId }>`SELECT id FROM panel_sessions WHERE wakes_at <= ${at(nowMs)} ORDER BY wakes_at LIMIT ${limit}`, (rows) => rows.map(({ id }) => id))),
      wakesAt: Effect.orDie(Effect.map(sql<{ ms: number }>`SELECT round(extract(epoch from wakes_at) * 1000)::float8 AS ms FROM panel_sessions WHERE wakes_at IS NOT NULL ORDER BY wakes_at LIMIT 1`, (rows) => rows[0]?.ms ?? null)),
      gone: (limit) => Effect.orDie(sql<{ sessionId: SessionId; agentId: AgentId }>`
        SELECT t.session_id, t.agent_id FROM panel_sessions p JOIN panel_seats t ON t.session_id = p.id JOIN agents a ON a.id = t.agent_id
        WHERE p.status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce') AND NOT t.done AND a.status <> 'claimed' LIMIT ${limit}`),
      listening: (limit) => Effect.orDie(Effect.map(sql<{ id: AgentId }>`
        SELECT a.id FROM agents a WHERE a.status = 'claimed' AND EXISTS (SELECT 1 FROM webhooks w WHERE w.agent_id = a.id AND w.active AND (w.events @> '["*"]' OR w.events @> '["session.open"]'))
        ORDER BY a.last_seen_at DESC NULLS LAST, a.id LIMIT ${limit}`, (rows) => rows.map(({ id }) => id))),
      discardTurns: (id, reason, atMs) => Effect.orDie(Effect.asVoid(sql`
        UPDATE segments SET status = 'cancelled', status_reason = ${reason}, status_changed_at = ${at(atMs)}, updated_at = ${at(atMs)} WHERE session_id = ${id} AND category = 'panel_turn' AND status = 'queued'`))
    })
  }))
}
