import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Simulations of the coming days that operators asked for, with their reports. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE simulations (
      id text PRIMARY KEY,
      state text NOT NULL CHECK (state IN ('waiting', 'running', 'done', 'failed')),
      days integer NOT NULL,
      faults boolean NOT NULL,
      demand boolean NOT NULL,
      progress integer NOT NULL,
      is_kept boolean,
      report text,
      detail text,
      requested_by text NOT NULL,
      requested_at timestamptz NOT NULL,
      ended_at timestamptz
    )`
  yield* sql`CREATE UNIQUE INDEX simulations_under_way ON simulations ((true)) WHERE state IN ('waiting', 'running')`
})
