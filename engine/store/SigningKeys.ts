import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { signingKeysKept } from "../Limits.ts"

/** An Ed25519 key: the public half as the `x` of a JWK, the private half sealed by the station. */
export interface SigningKey {
  readonly kid: string
  readonly publicX: string
  readonly privateSealed: string
  readonly createdAtMs: number
}

/** What identity tokens and those of listeners are signed with, one for all processes of the station. */
export class SigningKeys extends Context.Service<SigningKeys, {
  /** Newest first: the one in use, and those before it, as long as their tokens may be about: two turns more are what a listener's may last. */
  readonly all: Effect.Effect<ReadonlyArray<SigningKey>>
  /** Puts a key before `newest`, and lets go of the oldest. Nothing when another process was quicker. */
  readonly rotate: (key: SigningKey, newest: string | null) => Effect.Effect<void>
}>()("longwave/engine/store/SigningKeys") {
  static readonly layer = Layer.effect(SigningKeys, Effect.gen(function*() {
    const sql = yield* SqlClient.SqlClient
    const newestFirst = sql.literal("ORDER BY number DESC")
    return SigningKeys.of({
      all: Effect.orDie(sql<SigningKey>`
        SELECT kid, public_x, private_sealed, round(extract(epoch from created_at) * 1000)::float8 AS created_at_ms FROM signing_keys ${newestFirst} LIMIT ${signingKeysKept}`),
      rotate: Effect.fn("SigningKeys.rotate")((key, newest) => sql.withTransaction(Effect.gen(function*() {
        yield* sql`LOCK TABLE signing_keys IN EXCLUSIVE MODE`
        yield* sql`
          INSERT INTO signing_keys (kid, public_x, private_sealed, created_at)
          SELECT ${key.kid}, ${key.publicX}, ${key.privateSealed}, to_timestamp(${key.createdAtMs}::float8 / 1000)
          WHERE (SELECT kid FROM signing_keys ${newestFirst} LIMIT 1) IS NOT DISTINCT FROM ${newest}::text`
        yield* sql`DELETE FROM signing_keys WHERE kid NOT IN (SELECT kid FROM signing_keys ${newestFirst} LIMIT ${signingKeysKept})`
      })).pipe(Effect.orDie))
    })
  }))
}
