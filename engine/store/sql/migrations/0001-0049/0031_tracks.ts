import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE tracks (
      id text PRIMARY KEY,
      asset_id text NOT NULL REFERENCES assets (id),
      title text NOT NULL,
      artist text NOT NULL,
      genre text NOT NULL,
      mood text,
      category text NOT NULL,
      description text,
      is_instrumental boolean NOT NULL,
      lyrics text,
      language text,
      duration_sec double precision NOT NULL,
      bpm double precision,
      musical_key text,
      approval_status text NOT NULL,
      approval_reason text,
      remixable boolean NOT NULL DEFAULT false,
      source text NOT NULL,
      agent_id text,
      rotation_class text NOT NULL,
      weight double precision NOT NULL DEFAULT 1,
      play_count integer NOT NULL DEFAULT 0,
      last_played_at timestamptz,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  // The rotation reads the head of this index and nothing else, however long the shelf is.
  yield* sql`
    CREATE INDEX tracks_rested ON tracks (rotation_class, last_played_at NULLS FIRST, id)
    WHERE approval_status = 'approved' AND category IN ('song', 'instrumental')`
  yield* sql`
    CREATE TABLE house_pieces (
      name text PRIMARY KEY,
      role text NOT NULL,
      hour integer,
      airable jsonb NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    )`
})
