import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE as_run (
      station_id text NOT NULL,
      seq bigint NOT NULL,
      fence bigint NOT NULL,
      item_id text,
      kind text NOT NULL,
      role text,
      title text NOT NULL,
      segment_id text,
      track_id text,
      agent_id text,
      asset_id text,
      first_sample bigint NOT NULL,
      last_sample bigint NOT NULL,
      outcome text NOT NULL,
      text text NOT NULL,
      prev_hash text NOT NULL,
      hash text NOT NULL,
      signature text NOT NULL,
      PRIMARY KEY (station_id, seq)
    )`
  yield* sql`CREATE INDEX as_run_history ON as_run (station_id, first_sample DESC)`
  yield* sql`CREATE INDEX as_run_item ON as_run (item_id)`
  yield* sql`CREATE INDEX as_run_segment ON as_run (segment_id) WHERE segment_id IS NOT NULL`
  yield* sql`
    CREATE FUNCTION as_run_is_append_only() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'the as-run log is append-only'; END $$`
  yield* sql`
    CREATE TRIGGER as_run_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON as_run
    FOR EACH STATEMENT EXECUTE FUNCTION as_run_is_append_only()`
  // The one row that is not history yet: what is on the air, and how far it was heard for certain.
  yield* sql`
    CREATE TABLE as_run_open (
      station_id text PRIMARY KEY,
      fence bigint NOT NULL,
      body jsonb NOT NULL,
      as_of_sample bigint NOT NULL
    )`
  yield* sql`
    CREATE TABLE as_run_roots (
      station_id text NOT NULL,
      hour_ms bigint NOT NULL,
      first_seq bigint NOT NULL,
      last_seq bigint NOT NULL,
      root text NOT NULL,
      signature text NOT NULL,
      PRIMARY KEY (station_id, hour_ms)
    )`
})
