import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Songs that were asked for. Of a guest nothing is kept but their address under a key, and that no longer than two days; one request
 * at a time is waiting for each of them, for each listener and for each account, whatever comes at once.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE song_requests (
      id text PRIMARY KEY,
      track_id text NOT NULL,
      requester text,
      command_key text NOT NULL,
      human_id text,
      listener_id text,
      agent_id text,
      listener_label text NOT NULL,
      note text,
      source text NOT NULL,
      acknowledged boolean NOT NULL,
      disclosure_version text,
      status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'scheduled', 'fulfilled', 'expired', 'cancelled')),
      status_reason text,
      displacements integer NOT NULL DEFAULT 0 CHECK (displacements BETWEEN 0 AND 2),
      item_id text,
      scheduled_for timestamptz,
      fulfilled_at timestamptz,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL
    )`
  yield* sql`CREATE UNIQUE INDEX song_requests_one_each ON song_requests (requester) WHERE status IN ('pending', 'scheduled')`
  yield* sql`CREATE UNIQUE INDEX song_requests_one_per_listener ON song_requests (listener_id) WHERE status IN ('pending', 'scheduled')`
  yield* sql`CREATE UNIQUE INDEX song_requests_command ON song_requests (requester, command_key)`
  yield* sql`CREATE INDEX song_requests_active ON song_requests (created_at, id) WHERE status IN ('pending', 'scheduled')`
  yield* sql`CREATE INDEX song_requests_of_track ON song_requests (track_id) WHERE status IN ('pending', 'scheduled')`
  yield* sql`CREATE INDEX song_requests_of_requester ON song_requests (requester, created_at DESC)`
  yield* sql`CREATE INDEX song_requests_of_listener ON song_requests (listener_id, created_at DESC) WHERE listener_id IS NOT NULL`
  yield* sql`CREATE INDEX song_requests_of_human ON song_requests (human_id) WHERE human_id IS NOT NULL`
  yield* sql`CREATE INDEX song_requests_list ON song_requests (created_at DESC, id DESC)`
  yield* sql`CREATE INDEX song_requests_of_guests ON song_requests (created_at) WHERE requester LIKE 'guest\\_%'`
})
