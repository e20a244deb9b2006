import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Creations: requests for music that a key names for ever. `ended` is what remains of a creation when its request is deleted. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE music_creations (
      job_id text PRIMARY KEY,
      request_id text NOT NULL UNIQUE,
      agent_id text NOT NULL REFERENCES agents (id),
      body_sha256 text NOT NULL,
      ended jsonb,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX music_creations_same ON music_creations (agent_id, body_sha256, created_at DESC)`
  yield* sql`
    CREATE TABLE music_creation_keys (
      agent_id text NOT NULL REFERENCES agents (id),
      command_key text NOT NULL,
      body_sha256 text NOT NULL,
      job_id text NOT NULL REFERENCES music_creations (job_id),
      created_at timestamptz NOT NULL,
      PRIMARY KEY (agent_id, command_key)
    )`
})
