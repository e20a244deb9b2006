import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId } from "../../../schema/Ids.ts"
import { at, ms } from "../sql/instants.ts"
import { row, rows, run, hasChanged } from "../sql/rows.ts"

/** An external program, and the audiences whose tokens it may verify. */
const AppKey = Schema.Struct({
  id: AppId,
  name: Schema.String,
  audiences: Schema.Array(Schema.String),
  publicId: Schema.String,
  secretSha256: Schema.String,
  createdAtMs: Schema.Finite,
  rotatedAtMs: Schema.NullOr(Schema.Finite),
  lastUsedAtMs: Schema.NullOr(Schema.Finite),
  revokedAtMs: Schema.NullOr(Schema.Finite)
})
export type AppKey = typeof AppKey.Type

const many = rows(AppKey)
const one = row(AppKey)

/** Keys of external programs that verify identity tokens. Only hashes of the secrets are stored. */
export class AppKeysWriter extends Context.Service<AppKeysWriter>()("longwave/engine/store/AppKeysWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columnMs = (column: string) => sql`${ms(column)} AS ${sql.literal(`${column}_ms`)}`
    const columns = sql`id, name, audiences, public_id, secret_sha256, ${columnMs("created_at")}, ${columnMs("rotated_at")}, ${columnMs("last_used_at")}, ${columnMs("revoked_at")}`
    return {
      findByPublicId: (publicId: string) => one(sql`SELECT ${columns} FROM app_keys WHERE public_id = ${publicId}`),
      find: (id: string) => one(sql`SELECT ${columns} FROM app_keys WHERE id = ${id}`),
      /** Active keys first, newest first. */
      list: (limit: number) =>
        many(
          sql`SELECT ${columns} FROM app_keys ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT ${limit}`
        ),
      /** False if an active key has this name. */
      add: (key: Pick<AppKey, "id" | "name" | "audiences" | "publicId" | "secretSha256">, atMs: number) =>
        hasChanged(sql`
        INSERT INTO app_keys (id, name, audiences, public_id, secret_sha256, created_at)
        VALUES (${key.id}, ${key.name}, ${JSON.stringify(key.audiences)}::text::jsonb, ${key.publicId}, ${key.secretSha256}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING id`),
      /** Replaces the secret; the old one ends at once. */
      rotate: (id: string, publicId: string, secretSha256: string, atMs: number) =>
        run(
          sql`UPDATE app_keys SET public_id = ${publicId}, secret_sha256 = ${secretSha256}, rotated_at = ${at(atMs)} WHERE id = ${id} AND revoked_at IS NULL`
        ),
      revoke: (id: string, atMs: number) =>
        run(sql`UPDATE app_keys SET revoked_at = ${at(atMs)} WHERE id = ${id} AND revoked_at IS NULL`),
      /** Written at most once a minute. */
      markSeen: (id: string, atMs: number) =>
        run(
          sql`UPDATE app_keys SET last_used_at = ${at(atMs)} WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at(atMs - 60_000)})`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class AppKeys extends Context.Service<
  AppKeys,
  Pick<AppKeysWriter["Service"], "findByPublicId" | "find" | "list">
>()("longwave/engine/store/AppKeys") {
  static readonly layer = Layer.effect(this, AppKeysWriter).pipe(Layer.provideMerge(AppKeysWriter.layer))
}
