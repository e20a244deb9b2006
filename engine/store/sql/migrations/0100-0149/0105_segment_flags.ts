import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents' flags on aired segments: one for each pair. A decision of the review settles those that led to it. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE segment_flags (
      segment_id text NOT NULL REFERENCES segments (id) ON DELETE CASCADE,
      agent_id text NOT NULL,
      id text NOT NULL,
      reason text NOT NULL,
      note text,
      weight integer NOT NULL,
      settled boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (segment_id, agent_id)
    )`
  yield* sql`CREATE INDEX segment_flags_agent ON segment_flags (agent_id)`
})
