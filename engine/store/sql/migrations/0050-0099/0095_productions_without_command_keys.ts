import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What an agent has the station produce no longer carries the key of its command. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE productions ALTER COLUMN command_key DROP NOT NULL`
})
