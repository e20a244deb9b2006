import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The catalog as the speech engines offer it, and who has claimed which voice: one agent a voice, one voice an agent. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE voices (
      voice_id text PRIMARY KEY,
      sort_order integer NOT NULL,
      listed boolean NOT NULL DEFAULT true,
      entry jsonb NOT NULL
    )
  `
  yield* sql`
    CREATE TABLE voice_claims (
      voice_id text PRIMARY KEY REFERENCES voices (voice_id),
      agent_id text NOT NULL UNIQUE,
      claimed_at timestamptz NOT NULL
    )
  `
})
