import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { AgentStatus, Role } from "../../../schema/agents/Agent.ts"
import { AgentId, HumanId } from "../../../schema/Ids.ts"
import { at, msText } from "../sql/instants.ts"
import { countChanged, row, rows, run, hasChanged } from "../sql/rows.ts"

const AccountAgent = Schema.Struct({
  id: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  role: Role,
  status: AgentStatus,
  tier: Schema.Int,
  /** Confirmed by a mail to its owner's address; otherwise the account's address is the one verified at the claim. */
  confirmed: Schema.Boolean
})
const OfferedAgent = Schema.Struct({ id: AgentId, handle: Schema.String, displayName: Schema.String })
const LinkRequest = Schema.Struct({
  agentId: AgentId,
  humanId: HumanId,
  handle: Schema.String,
  ownerEmailHash: Schema.String,
  askedAtMs: Schema.Finite,
  expiresAtMs: Schema.Finite
})

const accountAgents = rows(AccountAgent)
const offeredAgents = rows(OfferedAgent)
const linkRequests = rows(LinkRequest)
const linkRequest = row(LinkRequest)
const ownerRow = row(Schema.Struct({ humanId: HumanId }))

/** Agents linked to an account, and pending links. */
export class HumanAgentsWriter extends Context.Service<HumanAgentsWriter>()("longwave/engine/store/HumanAgentsWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const requests =
      sql.literal(`SELECT r.agent_id, r.human_id, a.handle, r.owner_email_hash, ${msText("r.asked_at")} AS asked_at_ms, ${msText("r.expires_at")} AS expires_at_ms
      FROM agent_link_requests r JOIN agents a ON a.id = r.agent_id AND a.owner_email_hash = r.owner_email_hash AND a.deleted_at IS NULL`)
    return {
      list: (humanId: string) =>
        accountAgents(sql`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name, a.persona->>'role' AS role, a.status, coalesce(g.tier_pin, r.earned_tier, 0) AS tier, o.confirmed
        FROM agent_owners o JOIN agents a ON a.id = o.agent_id LEFT JOIN grants g ON g.agent_id = a.id LEFT JOIN ranks r ON r.agent_id = a.id WHERE o.human_id = ${humanId} ORDER BY a.id`),
      /** Agents claimed with the account's verified address that wait for its owner to agree, newest first. */
      listOffered: (humanId: string, limit: number) =>
        offeredAgents(sql`
        SELECT a.id, a.handle, a.persona->>'displayName' AS display_name FROM humans h JOIN agents a ON a.owner_email_hash = h.email_hash
        WHERE h.id = ${humanId} AND a.owner_email_verified AND NOT a.owner_agreed AND a.status <> 'pending' AND a.deleted_at IS NULL
          AND NOT EXISTS (SELECT 1 FROM human_agents l WHERE l.agent_id = a.id) ORDER BY a.claimed_at DESC, a.id LIMIT ${limit}`),
      /** The account an agent belongs to. */
      owner: (agentId: string) =>
        Effect.map(
          ownerRow(sql`SELECT human_id FROM agent_owners WHERE agent_id = ${agentId}`),
          (found) => found?.humanId ?? null
        ),
      /** Only the newest mail is valid. */
      ask: (
        {
          agentId,
          expiresAtMs,
          humanId,
          ownerEmailHash,
          secretSha256
        }: {
          readonly agentId: string
          readonly humanId: string
          readonly secretSha256: string
          readonly ownerEmailHash: string
          readonly expiresAtMs: number
        },
        atMs: number
      ) =>
        run(
          sql`
          INSERT INTO agent_link_requests (agent_id, human_id, secret_sha256, owner_email_hash, asked_at, expires_at) VALUES (${agentId}, ${humanId}, ${secretSha256}, ${ownerEmailHash}, ${at(atMs)}, ${at(expiresAtMs)})
          ON CONFLICT (human_id, agent_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, owner_email_hash = excluded.owner_email_hash, asked_at = excluded.asked_at, expires_at = excluded.expires_at`
        ),
      /** Deletes links whose mail has expired. */
      purge: (atMs: number) =>
        countChanged(
          sql`DELETE FROM agent_link_requests WHERE ctid = ANY(ARRAY(SELECT ctid FROM agent_link_requests WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** Pending links whose mail is still valid. */
      listPending: (humanId: string, atMs: number) =>
        linkRequests(sql`${requests} WHERE r.human_id = ${humanId} AND r.expires_at > ${at(atMs)} ORDER BY r.asked_at`),
      /** The pending link of a mail, while its address is still the agent's. */
      find: (secretSha256: string, atMs: number) =>
        linkRequest(sql`${requests} WHERE r.secret_sha256 = ${secretSha256} AND r.expires_at > ${at(atMs)}`),
      /** Takes the agent from its former account. */
      link: (humanId: string, agentId: string, atMs: number) =>
        Effect.orDie(
          Effect.gen(function* () {
            yield* sql`DELETE FROM agent_link_requests WHERE human_id = ${humanId} AND agent_id = ${agentId}`
            yield* sql`
          INSERT INTO human_agents (agent_id, human_id, linked_at) VALUES (${agentId}, ${humanId}, ${at(atMs)})
          ON CONFLICT (agent_id) DO UPDATE SET human_id = excluded.human_id, linked_at = excluded.linked_at`
          })
        ),
      /** False if it wasn't linked by mail. */
      unlink: (humanId: string, agentId: string) =>
        hasChanged(
          sql`DELETE FROM human_agents WHERE human_id = ${humanId} AND agent_id = ${agentId} RETURNING agent_id`
        ),
      unlinkAll: (humanId: string) => run(sql`DELETE FROM human_agents WHERE human_id = ${humanId}`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class HumanAgents extends Context.Service<
  HumanAgents,
  Pick<HumanAgentsWriter["Service"], "list" | "listOffered" | "owner" | "listPending" | "find">
>()("longwave/engine/store/HumanAgents") {
  static readonly layer = Layer.effect(this, HumanAgentsWriter).pipe(Layer.provideMerge(HumanAgentsWriter.layer))
}
