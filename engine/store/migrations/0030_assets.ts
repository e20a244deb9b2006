import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE assets (
      id text PRIMARY KEY,
      kind text NOT NULL,
      length_samples bigint NOT NULL,
      pcm_sha256 text NOT NULL,
      body jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
})
