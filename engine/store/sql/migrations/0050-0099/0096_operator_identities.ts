import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The provider's identity of an operator who signs in by address. The first sign-in sets it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE operators ADD COLUMN identity_hash text`
})
