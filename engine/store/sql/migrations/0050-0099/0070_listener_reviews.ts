import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What listeners send is looked at in the same queue, and belongs to no agent. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE reviews ALTER COLUMN agent_id DROP NOT NULL`
})
