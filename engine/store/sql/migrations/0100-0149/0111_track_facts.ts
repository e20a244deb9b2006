import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What is known of a recording beside its sound, and a track's energy and cover. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE uploads ADD COLUMN facts jsonb`
  yield* sql`ALTER TABLE tracks ADD COLUMN energy double precision, ADD COLUMN cover_key text`
})
