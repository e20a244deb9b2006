import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE rundowns (
      station_id text PRIMARY KEY,
      fence bigint NOT NULL,
      revision bigint NOT NULL,
      body jsonb NOT NULL,
      updated_at timestamptz NOT NULL DEFAULT now()
    )`
})
