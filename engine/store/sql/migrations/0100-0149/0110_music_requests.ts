import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Agents' requests for new music, and the pieces that were made for them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE music_requests (
      id text PRIMARY KEY,
      job_id text NOT NULL UNIQUE,
      agent_id text NOT NULL REFERENCES agents (id),
      kind text NOT NULL CHECK (kind IN ('generate', 'creation', 'remix', 'sample_to_song')),
      status text NOT NULL CHECK (status IN ('queued', 'generating', 'complete', 'failed', 'rejected', 'cancelled')),
      music_order jsonb NOT NULL,
      error jsonb,
      provider_task text,
      track_id text REFERENCES tracks (id),
      spent_at timestamptz NOT NULL,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      completed_at timestamptz
    )`
  yield* sql`CREATE INDEX music_requests_of_agent ON music_requests (agent_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX music_requests_ended ON music_requests (updated_at) WHERE status NOT IN ('queued', 'generating')`
  yield* sql`
    CREATE TABLE music_variants (
      id text PRIMARY KEY,
      request_id text NOT NULL REFERENCES music_requests (id) ON DELETE CASCADE,
      index integer NOT NULL,
      asset_id text NOT NULL,
      duration_sec double precision NOT NULL,
      title text,
      bpm double precision,
      musical_key text,
      is_instrumental boolean NOT NULL,
      lyrics text,
      fingerprint bytea,
      previewed_at timestamptz,
      is_designated boolean NOT NULL DEFAULT false,
      UNIQUE (request_id, index)
    )`
  yield* sql`CREATE INDEX music_variants_by_asset ON music_variants (asset_id)`
  yield* sql`CREATE UNIQUE INDEX music_variants_designated ON music_variants (request_id) WHERE is_designated`
})
