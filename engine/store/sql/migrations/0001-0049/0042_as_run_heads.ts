import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** How long the log is, signed: without it nobody could tell a log whose end was cut off from one that is shorter. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE as_run_heads (
      station_id text PRIMARY KEY,
      fence bigint NOT NULL,
      seq bigint NOT NULL,
      hash text NOT NULL,
      signature text NOT NULL
    )`
})
