import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Links by which an owner replaces an agent's key, sent to the verified address. */
export class KeyLinks extends Context.Service<KeyLinks, {
  /** Only the newest link of an agent counts. */
  readonly put: (link: { readonly agentId: string; readonly secretSha256: string; readonly ownerEmailHash: string; readonly expiresAtMs: number }, atMs: number) => Effect.Effect<void>
  /** True once, before the link expires and while the address it went to is the agent's verified one. */
  readonly use: (agentId: string, secretSha256: string, atMs: number) => Effect.Effect<boolean>
}>()("longwave/engine/store/KeyLinks") {
  static readonly layer = Layer.effect(KeyLinks, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    return KeyLinks.of({
      put: ({ agentId, expiresAtMs, ownerEmailHash, secretSha256 }, atMs) => Effect.orDie(Effect.gen(function*() {
        yield* sql`DELETE FROM key_links WHERE expires_at < ${at(atMs)}`
        yield* sql`
          INSERT INTO key_links (agent_id, secret_sha256, owner_email_hash, expires_at) VALUES (${agentId}, ${secretSha256}, ${ownerEmailHash}, ${at(expiresAtMs)})
          ON CONFLICT (agent_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, owner_email_hash = excluded.owner_email_hash, expires_at = excluded.expires_at`
      })),
      use: (agentId, secretSha256, atMs) => Effect.orDie(Effect.map(sql`
        DELETE FROM key_links l USING agents a
        WHERE l.agent_id = ${agentId} AND l.secret_sha256 = ${secretSha256} AND l.expires_at > ${at(atMs)}
          AND a.id = l.agent_id AND a.owner_email_hash = l.owner_email_hash AND a.owner_email_verified
        RETURNING l.agent_id`, (rows) => rows.length === 1))
    })
  }))
}
