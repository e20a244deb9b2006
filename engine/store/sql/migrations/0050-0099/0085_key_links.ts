import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Links by which an owner replaces an agent's key. One per agent: only the newest counts. Of the secret only the hash is kept. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE key_links (
      agent_id text PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
      secret_sha256 text NOT NULL,
      owner_email_hash text NOT NULL,
      expires_at timestamptz NOT NULL
    )`
})
