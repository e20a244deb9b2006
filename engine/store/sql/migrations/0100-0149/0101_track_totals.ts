import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Counts of each track: votes and requests whose rows are deleted, and plays of the as-run log up to `seq`. `code` is a vote's action, 'request' or
 * 'play'.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE track_totals (
      track_id text NOT NULL,
      code text NOT NULL,
      count bigint NOT NULL,
      PRIMARY KEY (track_id, code)
    )`
  yield* sql`CREATE TABLE track_plays_counted (station_id text PRIMARY KEY, seq bigint NOT NULL)`
})
