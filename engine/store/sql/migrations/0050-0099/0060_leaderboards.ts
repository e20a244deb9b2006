import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Boards as they were last published, with the places that everybody had when the day began; what agents were given and
 * have spent of points, which the ledger of ranks doesn't know of; whose name stands beside what was heard; and shows that agents have planned, as the
 * schedule tells of them.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE leaderboards (
      kind text NOT NULL,
      category text NOT NULL,
      period text NOT NULL,
      generated_at timestamptz NOT NULL,
      day date NOT NULL,
      places_before jsonb NOT NULL,
      rows jsonb NOT NULL,
      PRIMARY KEY (kind, category, period)
    )`
  yield* sql`
    CREATE TABLE point_moves (
      id text PRIMARY KEY,
      agent_id text NOT NULL,
      command_key text NOT NULL,
      code text NOT NULL,
      points integer NOT NULL CHECK (points <> 0),
      at timestamptz NOT NULL,
      UNIQUE (agent_id, command_key)
    )`
  yield* sql`CREATE INDEX point_moves_of_agent ON point_moves (agent_id, at)`
  yield* sql`
    CREATE TABLE listener_credits (
      subject_id text PRIMARY KEY,
      label text NOT NULL,
      source_id text NOT NULL,
      human_id text
    )`
  yield* sql`CREATE INDEX listener_credits_human ON listener_credits (human_id) WHERE human_id IS NOT NULL`
  yield* sql`
    CREATE TABLE plans (
      id text PRIMARY KEY,
      agent_id text NOT NULL,
      title text NOT NULL,
      block_id text NOT NULL,
      occurrence_start timestamptz NOT NULL,
      occurrence_end timestamptz NOT NULL,
      status text NOT NULL CHECK (status IN ('draft', 'submitted', 'approved', 'rejected', 'airing', 'aired', 'cancelled'))
    )`
  yield* sql`CREATE INDEX plans_ahead ON plans (occurrence_start) WHERE status IN ('approved', 'airing')`
  yield* sql`CREATE INDEX as_run_off_air ON as_run (station_id, last_sample) WHERE outcome = 'off_air'`
  yield* sql`CREATE INDEX points_at ON points (at)`
  yield* sql`CREATE INDEX as_run_tracks ON as_run (track_id, first_sample) WHERE track_id IS NOT NULL`
})
