import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * All background work. A row is one piece of it: what kind, what it is about (one row for a kind and a key), when it is next taken up,
 * and while it runs, who has it and until when. What is done leaves the table, what was given up stays for operators.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE jobs (
      id text PRIMARY KEY,
      kind text NOT NULL,
      key text NOT NULL,
      payload jsonb NOT NULL,
      state text NOT NULL CHECK (state IN ('waiting', 'running', 'failed', 'cancelled')),
      run_at timestamptz NOT NULL,
      again_at timestamptz,
      worker text,
      tries integer NOT NULL DEFAULT 0,
      last_error text,
      cancelled_by text,
      created_at timestamptz NOT NULL,
      tried_at timestamptz,
      UNIQUE (kind, key)
    )`
  yield* sql`CREATE INDEX jobs_due ON jobs (run_at) WHERE state IN ('waiting', 'running')`
  yield* sql`CREATE INDEX jobs_ended ON jobs (state, tried_at) WHERE state IN ('failed', 'cancelled')`
})
