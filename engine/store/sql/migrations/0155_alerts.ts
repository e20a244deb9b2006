import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Alerts to operators: one open alert for each kind and subject. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE alerts (
      id text PRIMARY KEY,
      kind text NOT NULL,
      subject text NOT NULL,
      severity text NOT NULL CHECK (severity IN ('critical', 'warning')),
      detail text NOT NULL,
      times integer NOT NULL,
      raised_at timestamptz NOT NULL,
      last_at timestamptz NOT NULL,
      acknowledged_at timestamptz,
      acknowledged_by text,
      note text,
      closed_at timestamptz
    )`
  yield* sql`CREATE INDEX alerts_newest ON alerts (raised_at DESC, id DESC)`
  yield* sql`CREATE INDEX alerts_open ON alerts (raised_at DESC, id DESC) WHERE closed_at IS NULL`
})
