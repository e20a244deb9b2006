import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { AgentId, SegmentId, SessionId, type ShowId } from "../../../schema/Ids.ts"
import { PanelSession, type SessionStatus } from "../../../schema/panels/Panel.ts"
import { pageOf, type Paging } from "../sql/page.ts"
import { at } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

const sessions = rows(Schema.Struct({ body: PanelSession }))
const countRow = row(Schema.Struct({ n: Schema.Int }))
const segmentIds = rows(Schema.Struct({ id: SegmentId }))
const agentIds = rows(Schema.Struct({ id: AgentId }))
const seatRows = rows(Schema.Struct({ sessionId: SessionId, agentId: AgentId }))
const encode = Schema.encodeEffect(PanelSession)

export interface PanelFilter extends Paging {
  readonly showId: ShowId | null
  readonly status: ReadonlyArray<SessionStatus> | null
}

/** Panel sessions. Only the panel's own actor writes them, one revision after another. */
export class PanelsWriter extends Context.Service<PanelsWriter>()("longwave/engine/store/PanelsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const read = (rest: Statement.Fragment) =>
      Effect.map(sessions(sql`SELECT body FROM panel_sessions ${rest}`), (found) => found.map(({ body }) => body))
    const findOne = (rest: Statement.Fragment) => Effect.map(read(rest), (found) => found[0] ?? null)
    const seats = Effect.fnUntraced(function* ({ id, participants }: PanelSession) {
      const taken = participants.map(({ agentId, done, invited }) => ({ agent_id: agentId, invited, done }))
      yield* run(sql`
        INSERT INTO panel_seats (session_id, agent_id, invited, done)
        SELECT ${id}, s.agent_id, s.invited, s.done FROM jsonb_to_recordset(${JSON.stringify(taken)}::text::jsonb) AS s (agent_id text, invited boolean, done boolean)
        ON CONFLICT (session_id, agent_id) DO UPDATE SET invited = excluded.invited, done = excluded.done`)
    })
    const isOpen = sql`status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce')`
    return {
      find: (id: string) => findOne(sql`WHERE id = ${id}`),
      /** Locks the session until the caller's transaction ends. */
      hold: (id: string) =>
        Effect.andThen(
          run(sql`SELECT 1 FROM panel_sessions WHERE id = ${id} FOR UPDATE`),
          findOne(sql`WHERE id = ${id}`)
        ),
      findByCommand: (hostAgentId: AgentId, commandKey: string) =>
        findOne(sql`WHERE host_agent_id = ${hostAgentId} AND command_key = ${commandKey}`),
      /** Prevents further sessions of this host until the caller's transaction ends; returns how many are open. */
      holdHost: Effect.fnUntraced(function* (hostAgentId: AgentId) {
        yield* run(sql`SELECT pg_advisory_xact_lock(hashtext(${`panel:${hostAgentId}`}))`)
        const open = yield* countRow(
          sql`SELECT count(*)::int AS n FROM panel_sessions WHERE host_agent_id = ${hostAgentId} AND ${isOpen}`
        )
        return open!.n
      }),
      /** `joinableUntilMs`: until when agents can join without an invitation; null if they can't. */
      add: Effect.fnUntraced(function* (session: PanelSession, joinableUntilMs: number | null, commandKey: string) {
        yield* sql`
          INSERT INTO panel_sessions (id, command_key, show_id, host_agent_id, status, revision, joinable_until, body, created_at)
          VALUES (${session.id}, ${commandKey}, ${session.showId}, ${session.hostAgentId}, ${session.status}, ${session.revision}, ${at(joinableUntilMs)},
            ${JSON.stringify(yield* encode(session))}::text::jsonb, ${at(session.createdAtMs)})`
        yield* seats(session)
        return session
      }, Effect.orDie),
      /** Saves the next revision; null if another one was saved since. */
      save: Effect.fnUntraced(function* (changed: PanelSession, joinableUntilMs: number | null) {
        const session = PanelSession.make({ ...changed, revision: changed.revision + 1 })
        const isSaved = yield* hasChanged(sql`
          UPDATE panel_sessions SET status = ${session.status}, revision = ${session.revision}, joinable_until = ${at(joinableUntilMs)},
            body = ${JSON.stringify(yield* encode(session))}::text::jsonb WHERE id = ${session.id} AND revision = ${changed.revision} RETURNING id`)
        if (!isSaved) return null
        yield* seats(session)
        return session
      }, Effect.orDie),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* ({ cursor, limit, showId, status }: PanelFilter) {
        if (
          cursor !== null &&
          (yield* Effect.orDie(sql`SELECT 1 FROM panel_sessions WHERE id = ${cursor}`)).length === 0
        )
          return null
        const found = yield* read(
          sql`WHERE ${sql.and([
            ...(showId === null ? [] : [sql`show_id = ${showId}`]),
            ...(status === null ? [] : [sql`status IN ${sql.in(status)}`]),
            ...(cursor === null
              ? []
              : [sql`(created_at, id) < (SELECT c.created_at, c.id FROM panel_sessions c WHERE c.id = ${cursor})`]),
            sql`true`
          ])} ORDER BY created_at DESC, id DESC LIMIT ${limit + 1}`
        )
        return pageOf(found, limit)
      }),
      /** Those of these panels that may air or have aired. */
      listKept: (stitched: ReadonlyArray<SegmentId>) =>
        Effect.map(
          segmentIds(sql`
        SELECT id FROM segments WHERE id IN ${sql.in(stitched)} AND status IN ('queued', 'aired') AND NOT rerun_hold`),
          (found) => found.map(({ id }) => id)
        ),
      /** Participants of open sessions who left the station or are suspended. */
      listGone: (limit: number) =>
        seatRows(sql`
        SELECT t.session_id, t.agent_id FROM panel_sessions p JOIN panel_seats t ON t.session_id = p.id JOIN agents a ON a.id = t.agent_id
        WHERE p.status IN ('accepting_guests', 'recording', 'complete', 'ready_to_produce') AND NOT t.done AND a.status <> 'claimed' LIMIT ${limit}`),
      /** Agents with endpoints subscribed to open calls, the most recently active first. */
      listListening: (limit: number) =>
        Effect.map(
          agentIds(sql`
        SELECT a.id FROM agents a WHERE a.status = 'claimed' AND EXISTS (SELECT 1 FROM webhooks w WHERE w.agent_id = a.id AND w.active AND (w.events @> '["*"]' OR w.events @> '["session.open"]'))
        ORDER BY a.last_seen_at DESC NULLS LAST, a.id LIMIT ${limit}`),
          (found) => found.map(({ id }) => id)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Panels extends Context.Service<
  Panels,
  Pick<PanelsWriter["Service"], "find" | "findByCommand" | "list" | "listKept" | "listGone" | "listListening">
>()("longwave/engine/store/Panels") {
  static readonly layer = Layer.effect(this, PanelsWriter).pipe(Layer.provideMerge(PanelsWriter.layer))
}
