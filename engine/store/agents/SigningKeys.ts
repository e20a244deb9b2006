import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { signingKeysKept } from "../../rules/agents/limits.ts"
import { ms, at } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"

/** An Ed25519 key: the public half as the `x` of a JWK, the private half encrypted by the station. */
const SigningKey = Schema.Struct({
  kid: Schema.String,
  publicX: Schema.String,
  privateSealed: Schema.String,
  createdAtMs: Schema.Finite
})
export type SigningKey = typeof SigningKey.Type

const keys = rows(SigningKey)

/** Keys that sign identity and listener tokens, shared by all processes of the station. */
export class SigningKeysWriter extends Context.Service<SigningKeysWriter>()("longwave/engine/store/SigningKeysWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const newestFirst = sql.literal("ORDER BY number DESC")
    return {
      /** Newest first: the current key, and earlier ones while their tokens may be valid. A listener token lasts up to two rotations. */
      all: keys(sql`
        SELECT kid, public_x, private_sealed, ${ms("created_at")} AS created_at_ms FROM signing_keys ${newestFirst} LIMIT ${signingKeysKept}`),
      /** Adds a key and removes the oldest. Does nothing if `newest` isn't the newest key any more, because another process rotated first. */
      rotate: (key: SigningKey, newest: string | null) =>
        sql
          .withTransaction(
            Effect.gen(function* () {
              yield* sql`LOCK TABLE signing_keys IN EXCLUSIVE MODE`
              yield* sql`
          INSERT INTO signing_keys (kid, public_x, private_sealed, created_at)
          SELECT ${key.kid}, ${key.publicX}, ${key.privateSealed}, ${at(key.createdAtMs)}
          WHERE (SELECT kid FROM signing_keys ${newestFirst} LIMIT 1) IS NOT DISTINCT FROM ${newest}::text`
              yield* sql`DELETE FROM signing_keys WHERE kid NOT IN (SELECT kid FROM signing_keys ${newestFirst} LIMIT ${signingKeysKept})`
            })
          )
          .pipe(Effect.orDie)
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

export class SigningKeys extends Context.Service<SigningKeys, Pick<SigningKeysWriter["Service"], "all">>()(
  "longwave/engine/store/SigningKeys"
) {
  static readonly layer = Layer.effect(this, SigningKeysWriter).pipe(Layer.provideMerge(SigningKeysWriter.layer))
}
