import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { OperatorRole } from "../../schema/Operator.ts"

export interface OperatorToken {
  readonly publicId: string
  readonly secretSha256: string
  readonly name: string
  readonly role: OperatorRole
  readonly revoked: boolean
}

/** The tokens of those who run the station. */
export class Operators extends Context.Service<Operators, {
  readonly token: (publicId: string) => Effect.Effect<OperatorToken | null>
  readonly hasAny: Effect.Effect<boolean>
  /** The configured token is always the one in force: a changed value replaces what was under its name. */
  readonly save: (token: Omit<OperatorToken, "revoked">, atMs: number) => Effect.Effect<void>
}>()("longwave/engine/store/Operators") {
  static readonly layer = Layer.effect(Operators, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    return Operators.of({
      token: (publicId) => sql<OperatorToken>`
        SELECT public_id, secret_sha256, name, role, revoked_at IS NOT NULL AS revoked FROM operator_tokens WHERE public_id = ${publicId}`
        .pipe(Effect.map((rows) => rows[0] ?? null), Effect.orDie),
      hasAny: sql`SELECT 1 FROM operator_tokens WHERE revoked_at IS NULL LIMIT 1`.pipe(Effect.map((rows) => rows.length > 0), Effect.orDie),
      save: (token, atMs) => sql.withTransaction(Effect.gen(function*() {
        const at = sql`to_timestamp(${atMs}::float8 / 1000)`
        yield* sql`UPDATE operator_tokens SET revoked_at = ${at} WHERE name = ${token.name} AND public_id <> ${token.publicId} AND revoked_at IS NULL`
        yield* sql`
          INSERT INTO operator_tokens (public_id, secret_sha256, name, role, created_at) VALUES (${token.publicId}, ${token.secretSha256}, ${token.name}, ${token.role}, ${at})
          ON CONFLICT (public_id) DO UPDATE SET secret_sha256 = excluded.secret_sha256, role = excluded.role, revoked_at = NULL`
      })).pipe(Effect.orDie)
    })
  }))
}
