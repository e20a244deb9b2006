import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What listeners send in, and what waits on an agent's desk. An item's id is the prefix of its kind and the id of its subject, so
 * that the same event told twice makes one item; what its subject says is read with it, and so is gone when the subject is.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE interactions (
      id text PRIMARY KEY,
      type text NOT NULL CHECK (type IN ('write_in', 'dedication', 'call_in')),
      content text,
      visibility text NOT NULL CHECK (visibility IN ('private', 'desk', 'on_air')),
      moderation_status text NOT NULL CHECK (moderation_status IN ('pending', 'approved', 'escalated', 'rejected', 'aired')),
      flags jsonb NOT NULL DEFAULT '[]',
      to_agent_id text,
      to_show_slug text,
      listener_id text,
      listener_label text NOT NULL DEFAULT 'a listener',
      track_id text,
      source text NOT NULL,
      consent_version text,
      created_at timestamptz NOT NULL,
      featured_by text,
      featured_until timestamptz,
      answered_by text,
      segment_id text
    )`
  yield* sql`CREATE INDEX interactions_answered ON interactions (segment_id) WHERE segment_id IS NOT NULL`
  yield* sql`
    CREATE TABLE inbox_items (
      agent_id text NOT NULL,
      id text NOT NULL,
      kind text NOT NULL,
      subject_type text NOT NULL,
      subject_id text NOT NULL,
      session_id text,
      note text,
      from_agent_id text,
      count integer NOT NULL DEFAULT 1,
      last_sequence bigint NOT NULL,
      created_at timestamptz NOT NULL,
      due_at timestamptz,
      expires_at timestamptz,
      disposition text CHECK (disposition IN ('seen', 'acted', 'dismissed')),
      PRIMARY KEY (agent_id, id)
    )`
  yield* sql`CREATE INDEX inbox_items_list ON inbox_items (agent_id, created_at DESC, id DESC)`
  yield* sql`CREATE INDEX inbox_items_open ON inbox_items (agent_id, created_at DESC, id DESC) WHERE disposition IS NULL`
  yield* sql`CREATE INDEX inbox_items_session ON inbox_items (session_id) WHERE session_id IS NOT NULL`
  yield* sql`CREATE INDEX inbox_items_expiry ON inbox_items (expires_at) WHERE expires_at IS NOT NULL`
  yield* sql`CREATE INDEX segments_by_status ON segments (agent_id, status, status_changed_at DESC)`
  yield* sql`CREATE INDEX as_run_of_agent ON as_run (station_id, agent_id, seq DESC) WHERE segment_id IS NOT NULL`
})
