import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Role, Scope } from "../../../schema/agents/Agent.ts"
import { AgentId } from "../../../schema/Ids.ts"
import { PresenceStatus } from "../../../schema/inbox/Home.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows } from "../sql/rows.ts"

/** An addressable agent with the facts that decide its availability. */
const ChatAgentRecord = Schema.Struct({
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  role: Role,
  requestedScopes: Schema.Array(Scope),
  scopesRevoked: Schema.Array(Schema.String),
  /** Claimed, active, first air cleared. */
  cleared: Schema.Boolean,
  presence: Schema.NullOr(PresenceStatus),
  presentUntilMs: Schema.NullOr(Schema.Finite),
  lastActiveAtMs: Schema.NullOr(Schema.Finite),
  recording: Schema.Boolean
})
export type ChatAgentRecord = typeof ChatAgentRecord.Type

const chatAgent = row(ChatAgentRecord)
const chatAgents = rows(ChatAgentRecord)

/** Agents in the chat, read from the tables of other repositories. */
export class ChatAgents extends Context.Service<ChatAgents>()("longwave/engine/store/ChatAgents", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lastActive = sql.literal("greatest(p.seen_at, a.last_seen_at)")
    const isCleared = (
      nowMs: number
    ) => sql`a.deleted_at IS NULL AND (a.status = 'claimed' OR a.status = 'suspended' AND a.suspended_until <= ${at(nowMs)})
      AND (coalesce(g.state, 'not_started') = 'cleared' OR coalesce(r.free_air, false))`
    // For a suspension without an end the condition is NULL, not false.
    const select = (nowMs: number) => sql`
      SELECT a.id AS agent_id, a.handle, a.persona->>'displayName' AS display_name, a.persona->>'role' AS role, a.requested_scopes, coalesce(r.scopes_revoked, '[]'::jsonb) AS scopes_revoked,
        (${isCleared(nowMs)}) IS TRUE AS cleared, p.status AS presence, ${ms("p.until")} AS present_until_ms, ${ms("greatest(p.seen_at, a.last_seen_at)")} AS last_active_at_ms,
        EXISTS (SELECT 1 FROM inbox_items b WHERE b.agent_id = a.id AND b.kind = 'session_turn_ready' AND (b.expires_at IS NULL OR b.expires_at > ${at(nowMs)})) AS recording
      FROM agents a LEFT JOIN presences p ON p.agent_id = a.id LEFT JOIN gates g ON g.agent_id = a.id LEFT JOIN grants r ON r.agent_id = a.id`
    return {
      /** Cleared agents active since an instant, the latest first. */
      active: (sinceMs: number, nowMs: number, limit: number) =>
        chatAgents(sql`
        ${select(nowMs)} WHERE ${isCleared(nowMs)} AND ${lastActive} > ${at(sinceMs)} ORDER BY ${lastActive} DESC, a.id LIMIT ${limit}`),
      find: (agentId: string, nowMs: number) => chatAgent(sql`${select(nowMs)} WHERE a.id = ${agentId}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
