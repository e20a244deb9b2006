import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The keys that identity tokens are signed with, sealed, and the programs of others that may have such tokens verified. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE signing_keys (
      number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kid text NOT NULL UNIQUE,
      public_x text NOT NULL,
      private_sealed text NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`
    CREATE TABLE app_keys (
      id text PRIMARY KEY,
      name text NOT NULL,
      audiences jsonb NOT NULL,
      public_id text NOT NULL UNIQUE,
      secret_sha256 text NOT NULL,
      created_at timestamptz NOT NULL,
      rotated_at timestamptz,
      last_used_at timestamptz,
      revoked_at timestamptz
    )`
  yield* sql`CREATE UNIQUE INDEX app_keys_name ON app_keys (name) WHERE revoked_at IS NULL`
})
