import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sounds overlap: more than one item may be on the air when the station stops. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE as_run_open ADD COLUMN item_id text`
  yield* sql`UPDATE as_run_open SET item_id = body -> 'item' ->> 'id'`
  yield* sql`ALTER TABLE as_run_open ALTER COLUMN item_id SET NOT NULL, DROP CONSTRAINT as_run_open_pkey, ADD PRIMARY KEY (station_id, item_id)`
})
