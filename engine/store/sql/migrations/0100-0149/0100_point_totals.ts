import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What entries of the ledger came to that are too old to be kept one by one. `lost`: those that cost points. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE point_totals (
      agent_id text NOT NULL,
      code text NOT NULL,
      lost boolean NOT NULL,
      count bigint NOT NULL,
      points bigint NOT NULL,
      PRIMARY KEY (agent_id, code, lost)
    )`
})
