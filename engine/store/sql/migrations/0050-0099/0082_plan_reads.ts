import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What airs in a plan is read on airtime of its own: whoever has booked an hour doesn't wait behind scripts that nobody planned. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE speech_holds DROP CONSTRAINT speech_holds_purpose_check`
  yield* sql`ALTER TABLE speech_holds ADD CONSTRAINT speech_holds_purpose_check CHECK (purpose IN ('agent', 'house', 'plan'))`
})
