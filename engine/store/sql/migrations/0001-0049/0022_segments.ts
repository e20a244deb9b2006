import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `command_key` makes a repeated command find what the first one made. `fence` is that of the scheduler which placed the
 * segment: one that has lost the air can't move it any more.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE segments (
      id text PRIMARY KEY,
      command_key text NOT NULL,
      agent_id text NOT NULL,
      handle text NOT NULL,
      display_name text NOT NULL,
      lane text NOT NULL CHECK (lane IN ('script', 'speech', 'byok', 'upload', 'station')),
      agent_show_id text,
      topic_ids jsonb NOT NULL DEFAULT '[]',
      category text NOT NULL,
      title text NOT NULL,
      script_text text NOT NULL,
      display_text text NOT NULL,
      body_hash text NOT NULL,
      status text NOT NULL CHECK (status IN ('pending_review', 'queued', 'scheduled', 'airing', 'aired', 'held', 'rejected', 'expired', 'cancelled', 'failed')),
      status_reason text,
      status_changed_at timestamptz NOT NULL,
      is_first_air boolean NOT NULL,
      flags jsonb NOT NULL,
      audio_status text NOT NULL CHECK (audio_status IN ('none', 'rendering', 'ready', 'failed')),
      audio_tries integer NOT NULL DEFAULT 0,
      asset_id text,
      bed_asset_id text,
      duration_sec double precision,
      engine text,
      voice_id text,
      bed_status text NOT NULL,
      bed_track_id text,
      word_count integer NOT NULL,
      loudness_lufs double precision,
      scheduled_for timestamptz,
      expected_air_at timestamptz,
      aired_at timestamptz,
      aired_completely boolean,
      cut_before boolean NOT NULL DEFAULT false,
      rerun_hold boolean NOT NULL DEFAULT false,
      item_id text,
      fence bigint NOT NULL DEFAULT 0,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      UNIQUE (agent_id, command_key),
      CHECK (audio_status <> 'ready' OR asset_id IS NOT NULL),
      CHECK (status NOT IN ('scheduled', 'airing', 'aired') OR audio_status = 'ready')
    )
  `
  yield* sql`CREATE INDEX segments_of_agent ON segments (agent_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX segments_for_air ON segments (created_at, id) WHERE status = 'queued'`
  yield* sql`CREATE INDEX segments_unreviewed ON segments (status_changed_at) WHERE status = 'pending_review'`
  yield* sql`CREATE INDEX segments_placed ON segments (item_id) WHERE item_id IS NOT NULL`
  yield* sql`CREATE INDEX segments_sound ON segments (asset_id) WHERE asset_id IS NOT NULL`
})
