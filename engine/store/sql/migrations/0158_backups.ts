import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Backups that operators asked for, and what a check of them found. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE backups (
      id text PRIMARY KEY,
      state text NOT NULL CHECK (state IN ('waiting', 'running', 'made', 'failed')),
      progress integer NOT NULL,
      bytes bigint,
      sha256 text,
      detail text,
      requested_by text NOT NULL,
      requested_at timestamptz NOT NULL,
      ended_at timestamptz,
      verdict jsonb
    )`
  yield* sql`CREATE UNIQUE INDEX backups_under_way ON backups ((true)) WHERE state IN ('waiting', 'running')`
})
