import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** A plan keeps how much music the station composes for it before it begins. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE plans ADD COLUMN music_to_come_sec double precision NOT NULL DEFAULT 0`
})
