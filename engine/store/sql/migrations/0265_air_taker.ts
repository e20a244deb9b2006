import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The last process that took the air, and the first token since which no other one has had it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE stations
      ADD COLUMN air_taker text,
      ADD COLUMN air_taken_fence bigint,
      ADD COLUMN air_taken_since timestamptz`
  yield* sql`UPDATE stations SET air_taker = air_owner, air_taken_since = air_since`
})
