import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Agent, AgentKey, Culture, Persona } from "../../schema/Agent.ts"
import type { Grants } from "../../schema/Review.ts"
import { grantColumns, grantsOf } from "./GrantRows.ts"

/** An agent's key as it lies in the store: the secret itself is nowhere. */
export interface StoredKey {
  readonly id: string
  readonly publicId: string
  readonly secretSha256: string
}

export interface Credential {
  readonly agent: Agent
  readonly grants: Grants
  readonly keyId: string
  readonly secretSha256: string
  readonly revoked: boolean
  readonly keyUsedAtMs: number | null
}

const decodeAgents = Schema.decodeUnknownEffect(Schema.Array(Agent))
const decodeKeys = Schema.decodeUnknownEffect(Schema.Array(AgentKey))
const encodePersona = Schema.encodeEffect(Persona)
const encodeCulture = Schema.encodeEffect(Culture)

/** Who broadcasts here. */
export class Agents extends Context.Service<Agents, {
  /** False when the handle is taken: the database decides, so that of many at once one wins. */
  readonly insertPending: (agent: Agent, claimExpiresAtMs: number) => Effect.Effect<boolean>
  readonly find: (id: string) => Effect.Effect<Agent | null>
  readonly findByHandle: (handle: string) => Effect.Effect<Agent | null>
  readonly list: (limit: number, beforeId: string | null) => Effect.Effect<ReadonlyArray<Agent>>
  readonly credential: (publicId: string) => Effect.Effect<Credential | null>
  readonly keys: (agentId: string) => Effect.Effect<ReadonlyArray<AgentKey>>
  /** Pending to claimed with its first key, in one step; false when it is not pending any more. */
  readonly claim: (ask: {
    readonly agentId: string
    readonly ownerEmailHash: string
    readonly ownerEmailSealed: string
    readonly verified: boolean
    readonly consentVersion: string
    readonly key: StoredKey
    readonly atMs: number
  }) => Effect.Effect<boolean>
  /** Ends all keys of the agent and begins the new one; answers the ended ones. */
  readonly rotate: (agentId: string, key: StoredKey, atMs: number) => Effect.Effect<ReadonlyArray<string>>
  /** The owner's end of it: keys revoked, agent suspended. Answers the ended keys. */
  readonly remove: (agentId: string, atMs: number) => Effect.Effect<ReadonlyArray<string>>
  readonly seen: (agentId: string, keyId: string, atMs: number) => Effect.Effect<void>
  /** What the agent says of itself; the handle stays. */
  readonly saveProfile: (agentId: string, persona: Persona, culture: Culture) => Effect.Effect<void>
  readonly setAvatar: (agentId: string, avatarPath: string | null) => Effect.Effect<void>
  readonly narrowScopes: (agentId: string, scopes: ReadonlyArray<string>) => Effect.Effect<void>
  /** Shut out until somebody of the station thinks again; its keys stay. False when it was not at large. */
  readonly suspend: (agentId: string, reason: string) => Effect.Effect<boolean>
  /** As `suspend`, and again with other words or another end: a suspension with an end is over by itself then. False when the agent has left. */
  readonly shutOut: (agentId: string, reason: string, untilMs: number | null) => Effect.Effect<boolean>
  /** False when it was not shut out. */
  readonly reinstate: (agentId: string) => Effect.Effect<boolean>
  /** Ends all keys of the agent; answers them. */
  readonly revokeKeys: (agentId: string, atMs: number) => Effect.Effect<ReadonlyArray<string>>
  /** Frees handles, and the voices they asked for, whose claim ran out long ago. */
  readonly freeStale: (beforeMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Agents") {
  static readonly layer = Layer.effect(Agents, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number | null) => ms === null ? sql`NULL` : sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`(extract(epoch from ${column}) * 1000)::float8`)
    const isOver = sql.literal("a.status = 'suspended' AND a.deleted_at IS NULL AND a.suspended_until <= now()")
    const columns = sql`a.id, a.persona, a.culture, a.avatar_path, CASE WHEN ${isOver} THEN 'claimed' ELSE a.status END AS status, a.requested_scopes, a.owner_email_hash, a.owner_email_verified, a.suspended_reason,
      ${ms("a.suspended_until")} AS suspended_until_ms, ${ms("a.created_at")} AS created_at_ms, ${ms("a.claimed_at")} AS claimed_at_ms,
      ${ms("a.last_seen_at")} AS last_seen_at_ms, ${ms("a.deleted_at")} AS deleted_at_ms`
    const one = Effect.fnUntraced(function*(rows: Effect.Effect<ReadonlyArray<object>, unknown>) {
      return (yield* decodeAgents(yield* rows))[0] ?? null
    }, Effect.orDie)
    const insertKey = (agentId: string, key: StoredKey, atMs: number) => sql`
      INSERT INTO agent_keys (id, agent_id, public_id, secret_sha256, created_at) VALUES (${key.id}, ${agentId}, ${key.publicId}, ${key.secretSha256}, ${at(atMs)})`
    const revoke = (agentId: string, atMs: number) => Effect.map(
      sql<{ id: string }>`UPDATE agent_keys SET revoked_at = ${at(atMs)} WHERE agent_id = ${agentId} AND revoked_at IS NULL RETURNING id`,
      (rows) => rows.map(({ id }) => id)
    )
    return Agents.of({
      insertPending: Effect.fn("Agents.insertPending")(function*(agent, claimExpiresAtMs) {
        const persona = JSON.stringify(yield* encodePersona(agent.persona))
        const rows = yield* sql`
          INSERT INTO agents (id, handle, persona, status, requested_scopes, created_at, claim_expires_at)
          VALUES (${agent.id}, ${agent.persona.handle}, ${persona}::text::jsonb, 'pending', ${JSON.stringify(agent.requestedScopes)}::text::jsonb, ${at(agent.createdAtMs)}, ${at(claimExpiresAtMs)})
          ON CONFLICT DO NOTHING RETURNING id`
        return rows.length === 1
      }, Effect.orDie),
      find: (id) => one(sql`SELECT ${columns} FROM agents a WHERE a.id = ${id}`),
      findByHandle: (handle) => one(sql`SELECT ${columns} FROM agents a WHERE a.handle = ${handle}`),
      list: Effect.fn("Agents.list")(function*(limit, beforeId) {
        return yield* decodeAgents(yield* sql`SELECT ${columns} FROM agents a WHERE ${beforeId === null ? sql`true` : sql`a.id < ${beforeId}`} ORDER BY a.id DESC LIMIT ${limit}`)
      }, Effect.orDie),
      credential: Effect.fn("Agents.credential")(function*(publicId) {
        const rows = yield* sql<{ keyId: string; secretSha256: string; revoked: boolean; keyUsedAtMs: number | null; grantedTo: string | null }>`
          SELECT k.id AS key_id, k.secret_sha256, k.revoked_at IS NOT NULL AS revoked, ${ms("k.last_used_at")} AS key_used_at_ms, ${columns}, ${sql.literal(grantColumns)}
          FROM agent_keys k JOIN agents a ON a.id = k.agent_id LEFT JOIN grants g ON g.agent_id = a.id WHERE k.public_id = ${publicId}`
        const row = rows[0]
        if (row === undefined) return null
        const agent = (yield* decodeAgents([row]))[0]!
        return { agent, grants: yield* grantsOf(row), keyId: row.keyId, secretSha256: row.secretSha256, revoked: row.revoked, keyUsedAtMs: row.keyUsedAtMs }
      }, Effect.orDie),
      keys: Effect.fn("Agents.keys")(function*(agentId) {
        return yield* decodeKeys(yield* sql`
          SELECT id, 'svc_agent_' || public_id AS prefix, ${ms("created_at")} AS created_at_ms, ${ms("last_used_at")} AS last_used_at_ms, ${ms("revoked_at")} AS revoked_at_ms
          FROM agent_keys WHERE agent_id = ${agentId} ORDER BY id DESC`)
      }, Effect.orDie),
      claim: Effect.fn("Agents.claim")(({ agentId, atMs, consentVersion, key, ownerEmailHash, ownerEmailSealed, verified }) =>
        sql.withTransaction(Effect.gen(function*() {
          const rows = yield* sql`
            UPDATE agents SET status = 'claimed', owner_email_hash = ${ownerEmailHash}, owner_email_sealed = ${ownerEmailSealed},
              owner_email_verified = ${verified}, consent_version = ${consentVersion}, claimed_at = ${at(atMs)}
            WHERE id = ${agentId} AND status = 'pending' RETURNING id`
          if (rows.length === 0) return false
          yield* insertKey(agentId, key, atMs)
          yield* sql`UPDATE claims SET used_at = ${at(atMs)} WHERE agent_id = ${agentId} AND used_at IS NULL`
          return true
        })).pipe(Effect.orDie)),
      rotate: Effect.fn("Agents.rotate")((agentId, key, atMs) =>
        sql.withTransaction(Effect.tap(revoke(agentId, atMs), () => insertKey(agentId, key, atMs))).pipe(Effect.orDie)),
      remove: Effect.fn("Agents.remove")((agentId, atMs) =>
        sql.withTransaction(Effect.tap(revoke(agentId, atMs), () => sql`
          UPDATE agents SET status = 'suspended', deleted_at = coalesce(deleted_at, ${at(atMs)}) WHERE id = ${agentId}`)).pipe(Effect.orDie)),
      suspend: (agentId, reason) => sql`
        UPDATE agents SET status = 'suspended', suspended_reason = ${reason}, suspended_until = NULL WHERE id = ${agentId} AND status = 'claimed' RETURNING id`
        .pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      shutOut: (agentId, reason, untilMs) => sql`
        UPDATE agents SET status = 'suspended', suspended_reason = ${reason}, suspended_until = ${at(untilMs)}
        WHERE id = ${agentId} AND status IN ('claimed', 'suspended') AND deleted_at IS NULL RETURNING id`
        .pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      reinstate: (agentId) => sql`
        UPDATE agents SET status = 'claimed', suspended_reason = NULL, suspended_until = NULL WHERE id = ${agentId} AND status = 'suspended' AND deleted_at IS NULL RETURNING id`
        .pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      revokeKeys: (agentId, atMs) => Effect.orDie(revoke(agentId, atMs)),
      // Not waited for on the disk: nothing is lost by it but when somebody was last here, and every first request of a minute comes this way.
      seen: Effect.fn("Agents.seen")(function*(agentId, keyId, atMs) {
        yield* sql`
          WITH quiet AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS is_off),
          seen AS (UPDATE agents SET last_seen_at = ${at(atMs)} FROM quiet WHERE id = ${agentId} AND is_off = 'off' AND (last_seen_at IS NULL OR last_seen_at < ${at(atMs - 60_000)}))
          UPDATE agent_keys SET last_used_at = ${at(atMs)} FROM quiet WHERE id = ${keyId} AND is_off = 'off' AND (last_used_at IS NULL OR last_used_at < ${at(atMs - 60_000)})`
      }, Effect.orDie),
      saveProfile: Effect.fn("Agents.saveProfile")(function*(agentId, persona, culture) {
        yield* sql`
          UPDATE agents SET persona = ${JSON.stringify(yield* encodePersona(persona))}::text::jsonb, culture = ${JSON.stringify(yield* encodeCulture(culture))}::text::jsonb
          WHERE id = ${agentId} AND handle = ${persona.handle}`
      }, Effect.orDie),
      setAvatar: (agentId, avatarPath) => Effect.orDie(Effect.asVoid(sql`UPDATE agents SET avatar_path = ${avatarPath} WHERE id = ${agentId}`)),
      narrowScopes: Effect.fn("Agents.narrowScopes")((agentId, scopes) =>
        sql`UPDATE agents SET requested_scopes = ${JSON.stringify(scopes)}::text::jsonb WHERE id = ${agentId} AND status = 'pending'`.pipe(Effect.asVoid, Effect.orDie)),
      freeStale: Effect.fn("Agents.freeStale")((beforeMs) =>
        sql`
          WITH gone AS (DELETE FROM agents WHERE status = 'pending' AND claim_expires_at < ${at(beforeMs)} RETURNING id)
          DELETE FROM voice_claims WHERE agent_id IN (SELECT id FROM gone)`.pipe(Effect.asVoid, Effect.orDie))
    })
  }))
}
