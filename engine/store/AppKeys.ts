import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { AppId } from "../../schema/Ids.ts"

/** A program of somebody else, and whose tokens it may have verified. */
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

const decode = Schema.decodeUnknownEffect(Schema.Array(AppKey))

/** What other programs show to have identity tokens verified. Only hashes of the secrets are kept. */
export class AppKeys extends Context.Service<AppKeys, {
  readonly byPublicId: (publicId: string) => Effect.Effect<AppKey | null>
  readonly find: (id: string) => Effect.Effect<AppKey | null>
  /** Those in force first, newest first. */
  readonly list: (limit: number) => Effect.Effect<ReadonlyArray<AppKey>>
  /** False when a key in force goes by this name. */
  readonly add: (key: Pick<AppKey, "id" | "name" | "audiences" | "publicId" | "secretSha256">, atMs: number) => Effect.Effect<boolean>
  /** Another secret for the same program: the one before ends at once. */
  readonly rotate: (id: string, publicId: string, secretSha256: string, atMs: number) => Effect.Effect<void>
  readonly revoke: (id: string, atMs: number) => Effect.Effect<void>
  /** Noted at most once a minute. */
  readonly seen: (id: string, atMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/AppKeys") {
  static readonly layer = Layer.effect(AppKeys, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const at = (ms: number) => sql`to_timestamp(${ms}::float8 / 1000)`
    const ms = (column: string) => sql.literal(`round(extract(epoch from ${column}) * 1000)::float8 AS ${column}_ms`)
    const columns = sql`id, name, audiences, public_id, secret_sha256, ${ms("created_at")}, ${ms("rotated_at")}, ${ms("last_used_at")}, ${ms("revoked_at")}`
    const decoded = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.orDie(Effect.flatMap(rows, decode))
    const one = (rows: Effect.Effect<ReadonlyArray<object>, unknown>) => Effect.map(decoded(rows), (found) => found[0] ?? null)
    const done = (rows: Effect.Effect<unknown, unknown>) => Effect.orDie(Effect.asVoid(rows))
    return AppKeys.of({
      byPublicId: (publicId) => one(sql`SELECT ${columns} FROM app_keys WHERE public_id = ${publicId}`),
      find: (id) => one(sql`SELECT ${columns} FROM app_keys WHERE id = ${id}`),
      list: (limit) => decoded(sql`SELECT ${columns} FROM app_keys ORDER BY revoked_at IS NOT NULL, created_at DESC, id DESC LIMIT ${limit}`),
      add: (key, atMs) => sql`
        INSERT INTO app_keys (id, name, audiences, public_id, secret_sha256, created_at)
        VALUES (${key.id}, ${key.name}, ${JSON.stringify(key.audiences)}::text::jsonb, ${key.publicId}, ${key.secretSha256}, ${at(atMs)}) ON CONFLICT DO NOTHING RETURNING id`
        .pipe(Effect.map((rows) => rows.length === 1), Effect.orDie),
      rotate: (id, publicId, secretSha256, atMs) => done(sql`UPDATE app_keys SET public_id = ${publicId}, secret_sha256 = ${secretSha256}, rotated_at = ${at(atMs)} WHERE id = ${id} AND revoked_at IS NULL`),
      revoke: (id, atMs) => done(sql`UPDATE app_keys SET revoked_at = ${at(atMs)} WHERE id = ${id} AND revoked_at IS NULL`),
      seen: (id, atMs) => done(sql`UPDATE app_keys SET last_used_at = ${at(atMs)} WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < ${at(atMs - 60_000)})`)
    })
  }))
}
