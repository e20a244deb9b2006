import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Calls of listeners: how far their words and their sound are, and where they stand on their way to the air. What they are otherwise is in
 * `interactions`. `segment_id` is what the rundown and the log know a call by.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE interactions ADD COLUMN human_id text, ADD COLUMN command_key text UNIQUE`
  yield* sql`CREATE INDEX interactions_of_human ON interactions (human_id) WHERE human_id IS NOT NULL`
  yield* sql`CREATE INDEX interactions_unaired ON interactions (type, created_at) WHERE moderation_status <> 'aired'`
  yield* sql`CREATE INDEX interactions_newest ON interactions (created_at DESC, id DESC)`
  yield* sql`
    CREATE TABLE call_ins (
      interaction_id text PRIMARY KEY REFERENCES interactions (id) ON DELETE CASCADE,
      segment_id text NOT NULL UNIQUE,
      duration_sec double precision NOT NULL,
      recording_notice_version text,
      transcript_status text NOT NULL CHECK (transcript_status IN ('queued', 'awaiting', 'ready')),
      air_status text NOT NULL DEFAULT 'off' CHECK (air_status IN ('off', 'preparing', 'queued', 'scheduled', 'airing', 'aired', 'failed')),
      air_reason text,
      tries integer NOT NULL DEFAULT 0,
      next_at timestamptz NOT NULL,
      asset_id text,
      approved_at timestamptz,
      expected_air_at timestamptz,
      aired_at timestamptz,
      aired_completely boolean,
      cut_before boolean NOT NULL DEFAULT false,
      fence bigint NOT NULL DEFAULT 0,
      swept boolean NOT NULL DEFAULT false
    )`
  yield* sql`CREATE INDEX call_ins_to_do ON call_ins (next_at) WHERE transcript_status = 'queued' OR air_status = 'preparing'`
  yield* sql`CREATE INDEX call_ins_for_air ON call_ins (approved_at) WHERE air_status IN ('queued', 'scheduled', 'airing')`
  yield* sql`CREATE INDEX call_ins_sound ON call_ins (asset_id) WHERE asset_id IS NOT NULL`
})
