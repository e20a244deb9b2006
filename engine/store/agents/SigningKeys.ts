import { Context, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { signingKeysKept } from "../../rules/agents/limits.ts"
import { ms, at } from "../sql/instants.ts"
import { rows } from "../sql/rows.ts"

/** An Ed25519 key: the public half as the `x` of a JWK, the private half sealed by the station. */
const SigningKey = Schema.Struct({
  kid: Schema.String,
  publicX: Schema.String,
  privateSealed: Schema.String,
  createdAtMs: Schema.Finite
})
export type SigningKey = typeof SigningKey.Type

const keys = rows(SigningKey)

/** What identity tokens and those of listeners are signed with, one for all processes of the station. */
export class SigningKeysWriter extends Context.Service<SigningKeysWriter>()("longwave/engine/store/SigningKeysWriter", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const newestFirst = sql.literal("ORDER BY number DESC")
    return {
      /** Newest first: the one in use, and those before it, as long as their tokens may be about: two turns more are what a listener's may last. */
      all: keys(sql`
        SELECT kid, public_x, private_sealed, ${ms("created_at")} AS created_at_ms FROM signing_keys ${newestFirst} LIMIT ${signingKeysKept}`),
      /** Puts a key before `newest`, and lets go of the oldest. Nothing when another process was quicker. */
      rotate: Effect.fn("SigningKeys.rotate")((key: SigningKey, newest: string | null) =>
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
      )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** What everybody may read there. */
export class SigningKeys extends Context.Service<SigningKeys, Pick<SigningKeysWriter["Service"], "all">>()(
  "longwave/engine/store/SigningKeys"
) {
  static readonly layer = Layer.effect(this, SigningKeysWriter).pipe(Layer.provideMerge(SigningKeysWriter.layer))
}
