import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the owner of the air did to its mixer, newest last, for the processes that follow it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE air_steps (
      seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      owner text NOT NULL,
      number bigint NOT NULL,
      at_sample bigint NOT NULL,
      body jsonb NOT NULL
    )`
  // Whether the owner's session holds the lock of the air: then its end shows before that of the lease.
  yield* sql`ALTER TABLE stations ADD COLUMN air_locked boolean NOT NULL DEFAULT false`
})
