import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { AgentId, HumanId } from "../../schema/Ids.ts"

export interface AccountAgent {
  readonly id: AgentId
  readonly handle: string
  readonly displayName: string
  readonly role: string
  readonly status: string
  readonly tier: number
  /** By a letter to its owner's address; else the address of the account is the one that was verified at the claim. */
  readonly confirmed: boolean
}

export interface LinkRequest {
  readonly agentId: AgentId
  readonly humanId: HumanId
  readonly handle: string
  readonly ownerEmailHash: string
  readonly askedAtMs: number
  readonly expiresAtMs: number
}

/** Which agents belong to an account, and which are asked for. */
export class HumanAgents extends Context.Service<HumanAgents, {
  readonly list: (humanId: string) => Effect.Effect<ReadonlyArray<AccountAgent>>
  /** Whose account an agent belongs to. */
  readonly owner: (agentId: string) => Effect.Effect<HumanId | null>
  /** Asked for again, only the newest letter counts. */
  readonly ask: (request: { readonly agentId: string; readonly humanId: string; readonly secretSha256: string; readonly ownerEmailHash: string; readonly expiresAtMs: number }, atMs: number) => Effect.Effect<void>
  /** Those whose letter still counts. */
  readonly asked: (humanId: string, atMs: number) => Effect.Effect<ReadonlyArray<LinkRequest>>
  /** Whose letter it is: while the address it went to is still the agent's. */
  readonly find: (secretSha256: string, atMs: number) => Effect.Effect<LinkRequest | null>
  /** Whoever had it before has it no more. */
  readonly link: (humanId: string, agentId: string, atMs: number) => Effect.Effect<void>
  /** False when it was not linked by a letter. */
  readonly unlink: (humanId: string, agentId: string) => Effect.Effect<boolean>
  readonly unlinkAll: (humanId: string) => Effect.Effect<void>
}>()("longwave/engine/store/HumanAgents") {
  static readonly layer = Layer.effect(HumanAgents, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const requests = sql.literal(`SELECT r.agent_id, r.human_id, a.handle, r.owner_email_hash, round(extract(epoch from r.asked_at) * 1000)::float8 AS asked_at_ms, round(extract(epoch from r.expires_at) * 1000)::float8 AS expires_at_ms
      FROM agent_link_requests r JOIN agents a ON a.id = r.agent_id AND a.owner_email_hash = r.owner_email_hash AND a.deleted_at IS NULL`)
    return HumanAgents.of({
      list: (humanId) => Effect.orDie(sql<AccountAgent>`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.persona->>'role' AS role, a.status, coalesce(g.tier_pin, r.earned_tier, 0) AS tier, o.confirmed
        FROM agent_owners o JOIN agents a ON a.id = o.agent_id LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id WHERE o.human_id = ${humanId} ORDER BY a.id`),
      owner: (agentId) => Effect.orDie(Effect.map(sql<{ humanId: HumanId }>`SELECT human_id FROM agent_owners WHERE agent_id = ${agentId}`, (rows) => rows[0]?.humanId ?? null)),
      ask: ({ agentId, expiresAtMs, humanId, ownerEmailHash, secretSha256 }, atMs) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM agent_link_requests WHERE expires_at < ${at(atMs)}`
        yield* sql`
          INSERT INTO agent_link_requests (agent_id, human_id, secret_sha256, owner_email_hash, asked_at, expires_at) VALUES (${agentId}, ${humanId}, ${secretSha256}, ${ownerEmailHash}, ${at(atMs)}, ${at(expiresAtMs)})
          ON CONFLICT (human_id, agent_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, owner_email_hash = excluded.owner_email_hash, asked_at = excluded.asked_at, expires_at = excluded.expires_at`
      })),
      asked: (humanId, atMs) => Effect.orDie(sql<LinkRequest>`${requests} WHERE r.human_id = ${humanId} AND r.expires_at > ${at(atMs)} ORDER BY r.asked_at`),
      find: (secretSha256, atMs) => Effect.orDie(Effect.map(sql<LinkRequest>`${requests} WHERE r.secret_sha256 = ${secretSha256} AND r.expires_at > ${at(atMs)}`, (rows) => rows[0] ?? null)),
      link: (humanId, agentId, atMs) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM agent_link_requests WHERE human_id = ${humanId} AND agent_id = ${agentId}`
        yield* sql`
          INSERT INTO human_agents (agent_id, human_id, linked_at) VALUES (${agentId}, ${humanId}, ${at(atMs)})
          ON CONFLICT (agent_id) DO UPDATE SET human_id = excluded.human_id, linked_at = excluded.linked_at`
      })),
      unlink: (humanId, agentId) => Effect.orDie(Effect.map(sql`DELETE FROM human_agents WHERE human_id = ${humanId} AND agent_id = ${agentId} RETURNING agent_id`, (rows) => rows.length === 1)),
      unlinkAll: (humanId) => Effect.orDie(Effect.asVoid(sql`DELETE FROM human_agents WHERE human_id = ${humanId}`))
    })
  }))
}
