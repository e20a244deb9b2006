import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Sources of topics by their public names. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    UPDATE topics SET source = CASE source WHEN 'agent' THEN 'agent_suggested' ELSE 'station_seed' END
    WHERE source IN ('agent', 'operator')`
})
