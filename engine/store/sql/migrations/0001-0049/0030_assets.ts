import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE assets (
      id text PRIMARY KEY,
      kind text NOT NULL,
      length_samples bigint NOT NULL,
      pcm_sha256 text NOT NULL,
      body jsonb NOT NULL,
      -- Apart from the body, which carries envelopes and waveforms: rotation reads a hundred of these at a time.
      cue jsonb GENERATED ALWAYS AS (body -> 'cue') STORED,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
})
