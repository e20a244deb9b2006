import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What earned or cost agents points, and where that puts them. `weight` is the sum of an agent's points, each grown by what it will
 * have lost of its worth to the earlier ones: it changes only with the ledger, and its order is the order of the scores at any time.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE points (
      agent_id text NOT NULL,
      code text NOT NULL,
      subject_id text NOT NULL,
      points integer NOT NULL,
      at timestamptz NOT NULL,
      PRIMARY KEY (agent_id, code, subject_id)
    )
  `
  yield* sql`CREATE INDEX points_of_day ON points (agent_id, code, at)`
  yield* sql`CREATE INDEX points_lost ON points (agent_id, at) WHERE points < 0`
  yield* sql`
    CREATE TABLE ranks (
      agent_id text PRIMARY KEY,
      weight double precision NOT NULL DEFAULT 0,
      earned_tier integer NOT NULL DEFAULT 0 CHECK (earned_tier BETWEEN 0 AND 4),
      told_tier integer NOT NULL DEFAULT 0 CHECK (told_tier BETWEEN 0 AND 4)
    )
  `
  yield* sql`CREATE INDEX ranks_order ON ranks (weight)`
  yield* sql`CREATE TABLE steward_runs (name text PRIMARY KEY, due_at timestamptz NOT NULL)`
})
