import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Events stored with the changes they tell of, in the order in which they were stored. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE outbox (
      position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      id text NOT NULL UNIQUE,
      at timestamptz NOT NULL,
      event jsonb NOT NULL
    )
  `
})
