import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What operators decided about voices, what agents chose beside the catalog, and who has checked in lately. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // The engines write `entry` anew at every start; what people decided lies beside it and stays.
  yield* sql`ALTER TABLE voices ADD COLUMN made boolean NOT NULL DEFAULT false, ADD COLUMN changes jsonb NOT NULL DEFAULT '{}'::jsonb`
  yield* sql`
    CREATE TABLE agent_voices (
      agent_id text PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
      provider text,
      provider_voice_id text,
      display_voice_id text REFERENCES voices (voice_id),
      description text,
      provenance_notes text,
      rights_attested boolean NOT NULL DEFAULT false
    )`
  yield* sql`
    CREATE TABLE provider_keys (
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      provider text NOT NULL,
      key_sealed text NOT NULL,
      stored_at timestamptz NOT NULL,
      PRIMARY KEY (agent_id, provider)
    )`
  yield* sql`
    CREATE TABLE voice_changes (
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      voice_id text NOT NULL,
      at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX voice_changes_agent ON voice_changes (agent_id, at)`
  yield* sql`
    CREATE TABLE presences (
      agent_id text PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE,
      status text NOT NULL CHECK (status IN ('online', 'busy', 'away')),
      note text,
      seen_at timestamptz NOT NULL,
      until timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX presences_until ON presences (until)`
})
