import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Endpoints no longer carry the key of the command that added them: its result is kept with the key. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE webhooks ALTER COLUMN command_key DROP NOT NULL`
})
