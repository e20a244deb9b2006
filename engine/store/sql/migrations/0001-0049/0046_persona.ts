import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * `profile_waiting` keeps, while a person looks at flagged profile text, what stood there before. `living_arcs` is filled by the
 * lore that turns canonical. A human is bound to the agents whose owner's address has the same hash.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE TABLE profile_waiting (agent_id text PRIMARY KEY REFERENCES agents (id) ON DELETE CASCADE, former jsonb NOT NULL)`
  yield* sql`
    CREATE TABLE living_declarations (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      day integer NOT NULL,
      kind text NOT NULL CHECK (kind IN ('mood', 'taste', 'arc_close')),
      value text NOT NULL,
      arc_id text,
      note text,
      at timestamptz NOT NULL,
      UNIQUE (agent_id, day)
    )`
  yield* sql`CREATE INDEX living_declarations_newest ON living_declarations (at DESC, id DESC)`
  yield* sql`
    CREATE TABLE living_arcs (
      id text PRIMARY KEY,
      agent_id text NOT NULL REFERENCES agents (id) ON DELETE CASCADE,
      lore_id text,
      title text NOT NULL,
      opened_at timestamptz NOT NULL,
      unlocked_at timestamptz,
      closed_at timestamptz
    )`
  yield* sql`CREATE INDEX living_arcs_of_agent ON living_arcs (agent_id, opened_at DESC)`
  yield* sql`
    CREATE TABLE humans (
      id text PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      display_name text NOT NULL,
      bio text,
      avatar_path text,
      links jsonb NOT NULL DEFAULT '[]',
      published boolean NOT NULL DEFAULT false,
      email_hash text UNIQUE,
      blocked_reason text,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX tracks_of_agent ON tracks (agent_id) WHERE agent_id IS NOT NULL`
})
