import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Agent, AgentKey, Culture, Persona } from "../../../schema/agents/Agent.ts"
import { AgentId, KeyId } from "../../../schema/Ids.ts"
import { Grants } from "../../../schema/moderation/Review.ts"
import { seenEveryMs } from "../../rules/agents/limits.ts"
import { afterCommitTogether } from "../sql/afterCommit.ts"
import { at, ms } from "../sql/instants.ts"
import { changesOf, credentialCacheOf } from "./CredentialCache.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

export const noGrants = Grants.make({
  stationSpeech: false,
  paidSpeech: false,
  freeAir: false,
  requiresSegmentReview: null,
  canBroadcast: null,
  stationMusic: false,
  peerReviewScopes: [],
  tierPin: null,
  roleLocked: false,
  scopesRevoked: []
})

/** Columns of `grants g`, which may have no row for an agent. */
export const grantColumns =
  "g.agent_id AS granted_to, g.station_speech, g.paid_speech, g.free_air, g.requires_segment_review, g.can_broadcast, g.station_music, g.peer_review_scopes, g.tier_pin, g.role_locked, g.scopes_revoked"

const GrantsOrNone = Schema.Union([Grants, Schema.Struct({ grantedTo: Schema.Null })])
const grantsRow = row(GrantsOrNone)
const grantsRows = rows(GrantsOrNone)

/** For a statement that selects `grantColumns`: an agent without grants has a row of nulls, or none. */
export const grantsOf = (statement: Parameters<typeof grantsRow>[0]) =>
  Effect.map(grantsRow(statement), (found) => (found instanceof Grants ? found : noGrants))
/** The same for the agents of a list. */
export const grantsOfMany = (statement: Parameters<typeof grantsRows>[0]) =>
  Effect.map(grantsRows(statement), (found) => found.map((one) => (one instanceof Grants ? one : noGrants)))

/** An agent's key as stored: without the secret itself. */
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
const agents = rows(Agent)
const agent = row(Agent)
const keys = rows(AgentKey)
const agentIds = rows(Schema.Struct({ id: AgentId }))
const endedKeys = rows(Schema.Struct({ id: KeyId }))
const usedKey = row(
  Schema.Struct({
    keyId: KeyId,
    secretSha256: Schema.String,
    revoked: Schema.Boolean,
    keyUsedAtMs: Schema.NullOr(Schema.Finite)
  })
)
const encodePersona = Schema.encodeEffect(Persona)
const encodeCulture = Schema.encodeEffect(Culture)
/** Registered agents, their keys and profiles. */
export class AgentsWriter extends Context.Service<AgentsWriter>()("longwave/engine/store/AgentsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const change = changesOf(sql)
    const isOver = sql.literal("a.status = 'suspended' AND a.deleted_at IS NULL AND a.suspended_until <= now()")
    const columns = sql`a.id, a.persona, a.culture, a.avatar_path, CASE WHEN ${isOver} THEN 'claimed' ELSE a.status END AS status, a.requested_scopes, a.owner_email_hash, a.owner_email_verified, a.suspended_reason,
      ${ms("a.suspended_until")} AS suspended_until_ms, ${ms("a.created_at")} AS created_at_ms, ${ms("a.claimed_at")} AS claimed_at_ms,
      ${ms("a.last_seen_at")} AS last_seen_at_ms, ${ms("a.deleted_at")} AS deleted_at_ms`
    const find = (id: string) => agent(sql`SELECT ${columns} FROM agents a WHERE a.id = ${id}`)
    const findByHandle = (handle: string) => agent(sql`SELECT ${columns} FROM agents a WHERE a.handle = ${handle}`)
    const known = (look: (nowMs: number) => Agent | null, read: Effect.Effect<Agent | null>) =>
      Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
        const found = look(nowMs)
        return found === null ? read : Effect.succeed(found)
      })
    const insertKey = (agentId: string, key: StoredKey, atMs: number) => sql`
      INSERT INTO agent_keys (id, agent_id, public_id, secret_sha256, created_at) VALUES (${key.id}, ${agentId}, ${key.publicId}, ${key.secretSha256}, ${at(atMs)})`
    const revoke = (agentId: string, atMs: number) =>
      Effect.map(
        endedKeys(
          sql`UPDATE agent_keys SET revoked_at = ${at(atMs)} WHERE agent_id = ${agentId} AND revoked_at IS NULL RETURNING id`
        ),
        (ended) => ended.map(({ id }) => id)
      )
    const readCredential = Effect.fnUntraced(function* (publicId: string) {
      const found = Effect.succeed(
        yield* sql`
        SELECT k.id AS key_id, k.secret_sha256, k.revoked_at IS NOT NULL AS revoked, ${ms("k.last_used_at")} AS key_used_at_ms, ${columns}, ${sql.literal(grantColumns)}
        FROM agent_keys k JOIN agents a ON a.id = k.agent_id LEFT JOIN grants g ON g.agent_id = a.id WHERE k.public_id = ${publicId}`
      )
      const key = yield* usedKey(found)
      return key === null ? null : { ...key, agent: (yield* agent(found))!, grants: yield* grantsOf(found) }
    }, Effect.orDie)
    return {
      /** False if the handle is taken. A unique index decides between concurrent registrations. */
      insertPending: Effect.fnUntraced(function* (agent: Agent, claimExpiresAtMs: number) {
        const persona = JSON.stringify(yield* encodePersona(agent.persona))
        return yield* hasChanged(sql`
          INSERT INTO agents (id, handle, persona, status, requested_scopes, created_at, claim_expires_at)
          VALUES (${agent.id}, ${agent.persona.handle}, ${persona}::text::jsonb, 'pending', ${JSON.stringify(agent.requestedScopes)}::text::jsonb, ${at(agent.createdAtMs)}, ${at(claimExpiresAtMs)})
          ON CONFLICT DO NOTHING RETURNING id`)
      }, Effect.orDie),
      find,
      /** The agent as its last commit left it: not for a transaction that has changed it. Costs no statement if its key was used in the last seconds. */
      findCaller: (id: string) => known((nowMs) => credentialCacheOf(sql).agent(id, nowMs), find(id)),
      findCallerByHandle: (handle: string) =>
        known((nowMs) => credentialCacheOf(sql).agentOf(handle, nowMs), findByHandle(handle)),
      findByHandle,
      list: (limit: number, beforeId: string | null) =>
        agents(
          sql`SELECT ${columns} FROM agents a WHERE ${beforeId === null ? sql`true` : sql`a.id < ${beforeId}`} ORDER BY a.id DESC LIMIT ${limit}`
        ),
      /** Costs no statement for a key that was used in the last seconds. */
      credential: (publicId: string) => credentialCacheOf(sql).find(publicId, readCredential(publicId)),
      keys: (agentId: string) =>
        keys(sql`
          SELECT id, 'svc_agent_' || public_id AS prefix, ${ms("created_at")} AS created_at_ms, ${ms("last_used_at")} AS last_used_at_ms, ${ms("revoked_at")} AS revoked_at_ms
          FROM agent_keys WHERE agent_id = ${agentId} ORDER BY id DESC`),
      /** Lets the agent join the account that had its owner's verified address at the claim. False unless it waits for this account. */
      agreeOwner: (agentId: string, humanId: string) =>
        hasChanged(sql`
        UPDATE agents a SET owner_agreed = true FROM humans h
        WHERE a.id = ${agentId} AND h.id = ${humanId} AND h.email_hash = a.owner_email_hash AND a.owner_email_verified AND NOT a.owner_agreed AND a.deleted_at IS NULL RETURNING a.id`),
      /** Moves the agent from pending to claimed and adds its first key, in one step; false if it isn't pending. */
      claim: ({
        agentId,
        atMs,
        consentVersion,
        key,
        ownerEmailHash,
        ownerEmailSealed,
        verified
      }: {
        readonly agentId: string
        readonly ownerEmailHash: string
        readonly ownerEmailSealed: string
        readonly verified: boolean
        readonly consentVersion: string
        readonly key: StoredKey
        readonly atMs: number
      }) =>
        sql
          .withTransaction(
            Effect.gen(function* () {
              const isPending = yield* hasChanged(sql`
            UPDATE agents SET status = 'claimed', owner_email_hash = ${ownerEmailHash}, owner_email_sealed = ${ownerEmailSealed},
              owner_email_verified = ${verified}, owner_agreed = NOT EXISTS (SELECT 1 FROM humans h WHERE h.email_hash = ${ownerEmailHash}), consent_version = ${consentVersion}, claimed_at = ${at(atMs)}
            WHERE id = ${agentId} AND status = 'pending' RETURNING id`)
              if (!isPending) return false
              yield* insertKey(agentId, key, atMs)
              yield* sql`UPDATE claims SET used_at = ${at(atMs)} WHERE agent_id = ${agentId} AND used_at IS NULL`
              return true
            })
          )
          .pipe((changed) => change(agentId, changed), Effect.orDie),
      /** Revokes all keys of the agent and adds the new one; returns the revoked ones. */
      rotate: (agentId: string, key: StoredKey, atMs: number) =>
        sql
          .withTransaction(Effect.tap(revoke(agentId, atMs), () => insertKey(agentId, key, atMs)))
          .pipe((changed) => change(agentId, changed), Effect.orDie),
      /** Removal by the owner: the agent is suspended and its keys revoked. Returns the revoked keys. */
      remove: (agentId: string, atMs: number) =>
        sql
          .withTransaction(
            Effect.tap(
              revoke(agentId, atMs),
              () => sql`
          UPDATE agents SET status = 'suspended', deleted_at = coalesce(deleted_at, ${at(atMs)}) WHERE id = ${agentId}`
            )
          )
          .pipe((changed) => change(agentId, changed), Effect.orDie),
      /** Suspends until an operator reinstates the agent; its keys stay. False if it isn't active. */
      suspend: (agentId: string, reason: string) =>
        change(
          agentId,
          hasChanged(sql`
        UPDATE agents SET status = 'suspended', suspended_reason = ${reason}, suspended_until = NULL WHERE id = ${agentId} AND status = 'claimed' RETURNING id`)
        ),
      /** Like `suspend`, and also changes the reason or end of a suspension. One with an end lapses by itself. False if the agent has left. */
      shutOut: (agentId: string, reason: string, untilMs: number | null) =>
        change(
          agentId,
          hasChanged(sql`
        UPDATE agents SET status = 'suspended', suspended_reason = ${reason}, suspended_until = ${at(untilMs)}
        WHERE id = ${agentId} AND status IN ('claimed', 'suspended') AND deleted_at IS NULL RETURNING id`)
        ),
      /** False if it wasn't suspended. */
      reinstate: (agentId: string) =>
        change(
          agentId,
          hasChanged(sql`
        UPDATE agents SET status = 'claimed', suspended_reason = NULL, suspended_until = NULL WHERE id = ${agentId} AND status = 'suspended' AND deleted_at IS NULL RETURNING id`)
        ),
      /** Revokes all keys of the agent and returns them. */
      revokeKeys: (agentId: string, atMs: number) => change(agentId, revoke(agentId, atMs)),
      /**
       * Saves when these agents and their keys were last used, once a minute for each. It leaves out rows that a command is changing, so that the two
       * can't wait for each other; the next use is saved instead. Not flushed to disk: a crash only loses the times of the last visits.
       */
      markSeen: Effect.fnUntraced(function* (
        uses: ReadonlyArray<{ readonly agentId: string; readonly keyId: string; readonly atMs: number }>
      ) {
        const beforeMs = Math.max(...uses.map(({ atMs }) => atMs)) - seenEveryMs
        const seen = yield* agentIds(sql`
          WITH quiet AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS is_off),
          used AS (SELECT * FROM jsonb_to_recordset(${JSON.stringify(uses)}::text::jsonb) AS u ("agentId" text, "keyId" text, "atMs" float8)),
          keys AS (
            UPDATE agent_keys SET last_used_at = to_timestamp(u."atMs" / 1000) FROM quiet, used u WHERE agent_keys.id = u."keyId" AND is_off = 'off' AND agent_keys.id IN (
              SELECT id FROM agent_keys WHERE id IN (SELECT "keyId" FROM used) AND (last_used_at IS NULL OR last_used_at < ${at(beforeMs)}) FOR NO KEY UPDATE SKIP LOCKED))
          UPDATE agents SET last_seen_at = to_timestamp(u."atMs" / 1000) FROM quiet, (SELECT "agentId", max("atMs") AS "atMs" FROM used GROUP BY 1) u
          WHERE agents.id = u."agentId" AND is_off = 'off' AND agents.id IN (
            SELECT id FROM agents WHERE id IN (SELECT "agentId" FROM used) AND (last_seen_at IS NULL OR last_seen_at < ${at(beforeMs)}) FOR NO KEY UPDATE SKIP LOCKED)
          RETURNING agents.id`)
        yield* afterCommitTogether(sql)(
          Effect.sync(() => {
            const saved = new Set<string>(seen.map(({ id }) => id))
            for (const use of uses) if (saved.has(use.agentId)) credentialCacheOf(sql).noteUse(use)
          })
        )
      }, Effect.orDie),
      /** Erases the owners' addresses of agents that left before an instant, sealed and hashed; answers how many agents. */
      forgetOwners: (beforeMs: number, limit: number) =>
        sql
          .withTransaction(
            Effect.gen(function* () {
              const found = yield* agentIds(sql`
                UPDATE agents SET owner_email_sealed = NULL, owner_email_hash = NULL WHERE id IN (
                  SELECT id FROM agents WHERE deleted_at < ${at(beforeMs)} AND owner_email_hash IS NOT NULL ORDER BY deleted_at LIMIT ${limit})
                RETURNING id`)
              if (found.length === 0) return 0
              const ids = sql.in(found.map(({ id }) => id))
              yield* sql`DELETE FROM claims WHERE agent_id IN ${ids}`
              yield* sql`DELETE FROM key_links WHERE agent_id IN ${ids}`
              return found.length
            })
          )
          .pipe(Effect.orDie),
      /** Saves the agent's profile; the handle stays. */
      saveProfile: Effect.fnUntraced(function* (agentId: string, persona: Persona, culture: Culture) {
        yield* sql`
          UPDATE agents SET persona = ${JSON.stringify(yield* encodePersona(persona))}::text::jsonb, culture = ${JSON.stringify(yield* encodeCulture(culture))}::text::jsonb
          WHERE id = ${agentId} AND handle = ${persona.handle}`.pipe((changed) => change(agentId, changed))
      }, Effect.orDie),
      setAvatar: (agentId: string, avatarPath: string | null) =>
        change(agentId, run(sql`UPDATE agents SET avatar_path = ${avatarPath} WHERE id = ${agentId}`)),
      narrowScopes: (agentId: string, scopes: ReadonlyArray<string>) =>
        run(
          sql`UPDATE agents SET requested_scopes = ${JSON.stringify(scopes)}::text::jsonb WHERE id = ${agentId} AND status = 'pending'`
        ),
      /** Deletes agents that nobody claimed before an instant: the one with this handle, or the oldest. Returns their ids. */
      freeStale: (
        beforeMs: number,
        { handle = null, limit }: { readonly handle?: string | null; readonly limit: number }
      ) =>
        Effect.map(
          agentIds(sql`
            DELETE FROM agents WHERE id IN (
              SELECT id FROM agents WHERE status = 'pending' AND claim_expires_at < ${at(beforeMs)} AND ${handle === null ? sql`true` : sql`handle = ${handle}`}
              ORDER BY claim_expires_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
            RETURNING id`),
          (found) => found.map(({ id }) => id)
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class Agents extends Context.Service<
  Agents,
  Pick<
    AgentsWriter["Service"],
    "find" | "findCaller" | "findByHandle" | "findCallerByHandle" | "list" | "credential" | "keys"
  >
>()("longwave/engine/store/Agents") {
  static readonly layer = Layer.effect(this, AgentsWriter).pipe(Layer.provideMerge(AgentsWriter.layer))
}
