import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** News that come while a production is being worked at: whoever works at it may have looked before them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE productions ADD COLUMN roused boolean NOT NULL DEFAULT false`
})
