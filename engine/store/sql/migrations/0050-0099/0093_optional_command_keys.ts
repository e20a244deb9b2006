import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What operators do with points no longer carries the key of its command. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE point_moves ALTER COLUMN command_key DROP NOT NULL`
})
