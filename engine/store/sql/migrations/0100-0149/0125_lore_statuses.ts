import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Lists of one status of the lore, which most entries don't have. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX lore_of_status ON lore_entries (status, created_at DESC, id DESC)`
})
