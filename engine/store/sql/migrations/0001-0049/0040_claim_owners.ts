import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which address a mailed claim verifies: a code for the same agent can't be used with another. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE claims ADD COLUMN owner_email_hash text`
})
