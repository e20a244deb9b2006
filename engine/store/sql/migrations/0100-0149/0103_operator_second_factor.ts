import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** An operator's authenticator: the secret that waits for its first code, the one in force, and the time step of the last code. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE operators ADD COLUMN totp_waiting text, ADD COLUMN totp_secret text, ADD COLUMN totp_step bigint`
})
