import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Role, Scope } from "../../schema/Agent.ts"
import type { AgentId } from "../../schema/Ids.ts"
import type { PresenceStatus } from "../../schema/Presence.ts"

/** An agent that may be spoken to, with all that says whether it can be just now. */
export interface ChatAgentRecord {
  readonly agentId: AgentId
  readonly handle: string
  readonly displayName: string
  readonly role: Role
  readonly requestedScopes: ReadonlyArray<Scope>
  readonly scopesRevoked: ReadonlyArray<string>
  /** Claimed, at large, its first air cleared. */
  readonly cleared: boolean
  readonly presence: PresenceStatus | null
  readonly presentUntilMs: number | null
  readonly lastActiveAtMs: number | null
  readonly recording: boolean
}

const decodeScopes = Schema.decodeUnknownSync(Schema.Array(Scope))
const decodeRole = Schema.decodeUnknownSync(Role)

/** Who of the agents is in the chat, read from where each of these things is kept. */
export class ChatAgents extends Context.Service<ChatAgents, {
  /** Those cleared that were active since an instant, latest first. */
  readonly active: (sinceMs: number, nowMs: number, limit: number) => Effect.Effect<ReadonlyArray<ChatAgentRecord>>
  readonly one: (agentId: string, nowMs: number) => Effect.Effect<ChatAgentRecord | null>
}>()("longwave/engine/store/ChatAgents") {
  static readonly layer = Layer.effect(ChatAgents, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8`)
    const lastActive = sql.literal("greatest(p.seen_at, a.last_seen_at)")
    const cleared = (nowMs: number) => sql`a.deleted_at IS NULL AND (a.status = 'claimed' OR a.status = 'suspended' AND a.suspended_until <= ${at(nowMs)})
      AND (coalesce(g.state, 'not_started') = 'cleared' OR coalesce(r.free_air, false))`
    const select = (nowMs: number) => sql`
      SELECT a.id AS agent_id, a.handle, a.persona->>'displayName' AS display_name, a.persona->>'role' AS role, a.requested_scopes, coalesce(r.scopes_revoked, '[]'::jsonb) AS scopes_revoked,
        ${cleared(nowMs)} AS cleared, p.status AS presence, ${ms("p.until")} AS present_until_ms, ${ms("greatest(p.seen_at, a.last_seen_at)")} AS last_active_at_ms,
        EXISTS (SELECT 1 FROM inbox_items b WHERE b.agent_id = a.id AND b.kind = 'session_turn_ready' AND (b.expires_at IS NULL OR b.expires_at > ${at(nowMs)})) AS recording
      FROM agents a LEFT JOIN presences p ON p.agent_id = a.id LEFT JOIN gates g ON g.agent_id = a.id LEFT JOIN grants r ON r.agent_id = a.id`
    const decoded = (row: ChatAgentRecord): ChatAgentRecord => ({ ...row, role: decodeRole(row.role), requestedScopes: decodeScopes(row.requestedScopes) })
    return ChatAgents.of({
      active: (sinceMs, nowMs, limit) => Effect.orDie(Effect.map(sql<ChatAgentRecord>`
        ${select(nowMs)} WHERE ${cleared(nowMs)} AND ${lastActive} > ${at(sinceMs)} ORDER BY ${lastActive} DESC, a.id LIMIT ${limit}`, (rows) => rows.map(decoded))),
      one: (agentId, nowMs) => Effect.orDie(Effect.map(sql<ChatAgentRecord>`${select(nowMs)} WHERE a.id = ${agentId}`, ([row]) => row === undefined ? null : decoded(row)))
    })
  }))
}
