import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Recordings from their first byte on: what was announced, what was found in them, and what was made of them. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE uploads
      ADD COLUMN content_type text NOT NULL DEFAULT 'audio/wav',
      ADD COLUMN byte_size bigint NOT NULL DEFAULT 0,
      ADD COLUMN sha256 text,
      ADD COLUMN fingerprint bytea,
      ADD COLUMN rights_declaration text CHECK (rights_declaration IN ('own_work', 'licensed', 'public_domain', 'generated')),
      ADD COLUMN synthetic_disclosure text,
      ADD COLUMN qc jsonb,
      ADD COLUMN segment_id text REFERENCES segments (id),
      ADD COLUMN track_id text REFERENCES tracks (id),
      ADD COLUMN failures int NOT NULL DEFAULT 0,
      ADD COLUMN tries int NOT NULL DEFAULT 0,
      ADD COLUMN lease_until timestamptz,
      ADD COLUMN removed_at timestamptz,
      ADD COLUMN swept boolean NOT NULL DEFAULT false`
  yield* sql`ALTER TABLE uploads ALTER COLUMN content_type DROP DEFAULT, ALTER COLUMN byte_size DROP DEFAULT`
  // The same bytes are there once, whoever sent them; what failed or expired stands in nobody's way.
  yield* sql`CREATE UNIQUE INDEX uploads_content ON uploads (sha256) WHERE status IN ('processing', 'qc_passed', 'submitted', 'approved', 'rejected') AND removed_at IS NULL`
  yield* sql`CREATE INDEX uploads_waiting ON uploads (created_at) WHERE status = 'processing'`
  yield* sql`CREATE INDEX uploads_left ON uploads (created_at) WHERE status IN ('initiated', 'uploaded')`
  yield* sql`CREATE INDEX uploads_unswept ON uploads (created_at) WHERE NOT swept AND (status IN ('qc_failed', 'expired') OR removed_at IS NOT NULL)`
  yield* sql`CREATE INDEX uploads_sounds ON uploads (purpose, duration_sec) WHERE fingerprint IS NOT NULL`
  yield* sql`CREATE INDEX uploads_of_segment ON uploads (segment_id) WHERE segment_id IS NOT NULL`
  yield* sql`CREATE INDEX uploads_of_track ON uploads (track_id) WHERE track_id IS NOT NULL`
})
