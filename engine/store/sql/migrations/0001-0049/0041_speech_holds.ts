import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Places taken on the speech meters for sound that isn't made yet: what a process that died has left here is given back. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE speech_holds (
      id text PRIMARY KEY,
      agent_id text NOT NULL,
      owner_key text,
      purpose text NOT NULL CHECK (purpose IN ('agent', 'house')),
      tier integer NOT NULL,
      seconds double precision NOT NULL,
      at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX speech_holds_agent ON speech_holds (agent_id)`
  yield* sql`CREATE INDEX speech_holds_age ON speech_holds (at)`
})
