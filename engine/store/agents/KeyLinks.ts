import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { at } from "../sql/instants.ts"
import { countChanged, run, hasChanged } from "../sql/rows.ts"

/** Links for an owner to replace an agent's key, mailed to the verified address. */
export class KeyLinksWriter extends Context.Service<KeyLinksWriter>()("longwave/engine/store/KeyLinksWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** Only an agent's newest link is valid. */
      put: ({
        agentId,
        expiresAtMs,
        ownerEmailHash,
        secretSha256
      }: {
        readonly agentId: string
        readonly secretSha256: string
        readonly ownerEmailHash: string
        readonly expiresAtMs: number
      }) =>
        run(
          sql`
          INSERT INTO key_links (agent_id, secret_sha256, owner_email_hash, expires_at) VALUES (${agentId}, ${secretSha256}, ${ownerEmailHash}, ${at(expiresAtMs)})
          ON CONFLICT (agent_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, owner_email_hash = excluded.owner_email_hash, expires_at = excluded.expires_at`
        ),
      /** Deletes links that have expired. */
      purge: (atMs: number) =>
        countChanged(
          sql`DELETE FROM key_links WHERE ctid = ANY(ARRAY(SELECT ctid FROM key_links WHERE expires_at < ${at(atMs)} LIMIT ${purgeRows})) RETURNING 1`
        ),
      /** True once, before the link expires and while its address is the agent's verified one. */
      use: (agentId: string, secretSha256: string, atMs: number) =>
        hasChanged(sql`
        DELETE FROM key_links l USING agents a
        WHERE l.agent_id = ${agentId} AND l.secret_sha256 = ${secretSha256} AND l.expires_at > ${at(atMs)}
          AND a.id = l.agent_id AND a.owner_email_hash = l.owner_email_hash AND a.owner_email_verified
        RETURNING l.agent_id`)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
