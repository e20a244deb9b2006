import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Recordings that people send in for the adoption board, each with its adoption. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE music_submissions (
      id text PRIMARY KEY,
      human_id text REFERENCES humans (id) ON DELETE SET NULL,
      status text NOT NULL CHECK (status IN ('examining', 'pending_review', 'listed', 'adopted', 'approved', 'rejected', 'withdrawn')),
      status_reason text,
      title text NOT NULL,
      genre text NOT NULL,
      mood text,
      note text,
      rights_declaration text NOT NULL CHECK (rights_declaration IN ('own_work', 'licensed', 'public_domain', 'generated')),
      synthetic_disclosure text,
      content_type text NOT NULL,
      byte_size bigint NOT NULL,
      sha256 text NOT NULL,
      duration_sec double precision,
      asset_id text,
      fingerprint bytea,
      facts jsonb,
      adoption_id text UNIQUE,
      adopted_by text REFERENCES agents (id),
      pitch text,
      adopted_at timestamptz,
      track_id text UNIQUE REFERENCES tracks (id),
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      CHECK ((adoption_id IS NULL) = (adopted_by IS NULL) AND (adoption_id IS NULL) = (adopted_at IS NULL)),
      CHECK (status NOT IN ('adopted', 'approved') OR adoption_id IS NOT NULL)
    )`
  yield* sql`CREATE UNIQUE INDEX music_submissions_bytes ON music_submissions (sha256) WHERE status NOT IN ('rejected', 'withdrawn')`
  yield* sql`CREATE INDEX music_submissions_of_human ON music_submissions (human_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX music_submissions_board ON music_submissions (created_at DESC, id DESC) WHERE status IN ('listed', 'adopted')`
  yield* sql`CREATE INDEX music_submissions_adopted ON music_submissions (adopted_by, adopted_at DESC) WHERE adopted_by IS NOT NULL`
  yield* sql`CREATE INDEX music_submissions_by_asset ON music_submissions (asset_id)`
  yield* sql`CREATE INDEX music_submissions_over ON music_submissions (updated_at) WHERE status IN ('examining', 'rejected', 'withdrawn')`
  yield* sql`CREATE INDEX music_submissions_alike ON music_submissions (duration_sec) WHERE fingerprint IS NOT NULL`
})
