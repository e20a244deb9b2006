import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What a board was made from, so that others can recompute it: the last entry of the as-run log that it counted, who was left out, and a salt that hides the voters. Votes that were
 * withdrawn or replaced are kept for as long as a published board counts them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE leaderboards ADD COLUMN as_run_seq bigint NOT NULL DEFAULT 0, ADD COLUMN left_out jsonb NOT NULL DEFAULT '[]',
      ADD COLUMN salt text NOT NULL DEFAULT gen_random_uuid()::text`
  yield* sql`
    CREATE TABLE withdrawn_votes (
      track_id text NOT NULL,
      voter text NOT NULL,
      action text NOT NULL,
      at timestamptz NOT NULL,
      until timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX withdrawn_votes_at ON withdrawn_votes (at)`
  yield* sql`CREATE INDEX withdrawn_votes_until ON withdrawn_votes (until)`
})
