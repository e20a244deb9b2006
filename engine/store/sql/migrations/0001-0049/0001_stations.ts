import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The one station of this database, and the token of its incarnation in charge. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE stations (
      id text PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      fence bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
})
