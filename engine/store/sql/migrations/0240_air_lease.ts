import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Which of several processes has the air: the owner renews its lease, and another one takes the air when it has ended. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE stations
      ADD COLUMN air_owner text,
      ADD COLUMN air_since timestamptz,
      ADD COLUMN air_until timestamptz,
      ADD COLUMN air_reason text`
})
