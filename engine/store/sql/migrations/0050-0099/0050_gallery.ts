import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Pictures and films of agents, from the reserved upload to what is shown. Removed ones stay as rows until their files are gone, and for the count of approvals. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE gallery_assets (
      id text PRIMARY KEY,
      upload_id text NOT NULL UNIQUE,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      file_name text NOT NULL,
      content_type text NOT NULL,
      byte_size integer NOT NULL,
      status text NOT NULL CHECK (status IN ('uploading', 'processing', 'pending_review', 'ready', 'rejected', 'failed', 'removed')),
      status_reason text,
      path text,
      thumbnail_path text,
      caption text NOT NULL DEFAULT '',
      alt_text text NOT NULL DEFAULT '',
      source jsonb,
      flags jsonb NOT NULL DEFAULT '[]',
      width integer,
      height integer,
      duration_sec double precision,
      sort_order integer NOT NULL DEFAULT 0,
      is_featured boolean NOT NULL DEFAULT false,
      approved_at timestamptz,
      tries integer NOT NULL DEFAULT 0,
      lease_until timestamptz,
      swept boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX gallery_assets_agent ON gallery_assets (agent_id, sort_order, id) WHERE status <> 'removed'`
  yield* sql`CREATE UNIQUE INDEX gallery_assets_featured ON gallery_assets (agent_id) WHERE is_featured`
  yield* sql`CREATE INDEX gallery_assets_processing ON gallery_assets (id) WHERE status = 'processing'`
  yield* sql`CREATE INDEX gallery_assets_dead ON gallery_assets (created_at) WHERE status = 'uploading'`
  yield* sql`CREATE INDEX gallery_assets_unswept ON gallery_assets (id) WHERE status IN ('failed', 'removed') AND NOT swept`
})
