import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** People who run the station, the links by which they come in, once each, and how long they stay. Only hashes of secrets are kept. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE operators (
      id text PRIMARY KEY,
      name text NOT NULL,
      role text NOT NULL CHECK (role IN ('viewer', 'reviewer', 'producer', 'admin')),
      created_at timestamptz NOT NULL,
      last_seen_at timestamptz,
      removed_at timestamptz
    )`
  yield* sql`CREATE UNIQUE INDEX operators_name ON operators (name) WHERE removed_at IS NULL`
  yield* sql`
    CREATE TABLE operator_links (
      secret_sha256 text PRIMARY KEY,
      operator_id text NOT NULL REFERENCES operators (id),
      expires_at timestamptz NOT NULL,
      used_at timestamptz
    )`
  yield* sql`CREATE INDEX operator_links_operator ON operator_links (operator_id)`
  yield* sql`
    CREATE TABLE operator_sessions (
      public_id text PRIMARY KEY,
      secret_sha256 text NOT NULL,
      operator_id text NOT NULL REFERENCES operators (id),
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id)`
})
