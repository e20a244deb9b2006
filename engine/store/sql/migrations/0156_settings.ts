import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Settings that operators change while the station runs. Tracks in the order of the operators' list. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE settings (
      name text PRIMARY KEY,
      value jsonb NOT NULL,
      changed_by text NOT NULL,
      changed_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX tracks_newest ON tracks (created_at DESC, id DESC)`
})
