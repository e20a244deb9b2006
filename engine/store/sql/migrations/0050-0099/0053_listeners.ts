import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Who listens, what they did on a day, and what is thought of tracks. Whatever is a person's hangs on the person: erased with them.
 * A row belongs to the account once there is one, before that to the listener.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE listeners (
      id text PRIMARY KEY,
      gen integer NOT NULL DEFAULT 0,
      human_id text REFERENCES humans (id) ON DELETE CASCADE,
      blocked_reason text,
      created_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL,
      linked_at timestamptz
    )`
  yield* sql`CREATE INDEX listeners_humans ON listeners (human_id) WHERE human_id IS NOT NULL`
  yield* sql`
    CREATE TABLE listener_days (
      listener_id text REFERENCES listeners (id) ON DELETE CASCADE,
      human_id text REFERENCES humans (id) ON DELETE CASCADE,
      who text NOT NULL GENERATED ALWAYS AS (coalesce(human_id, listener_id)) STORED,
      day date NOT NULL,
      minutes integer NOT NULL DEFAULT 0,
      votes integer NOT NULL DEFAULT 0,
      requests integer NOT NULL DEFAULT 0,
      write_ins integer NOT NULL DEFAULT 0,
      call_ins integer NOT NULL DEFAULT 0,
      reactions integer NOT NULL DEFAULT 0,
      others integer NOT NULL DEFAULT 0,
      PRIMARY KEY (who, day),
      CHECK (num_nonnulls(listener_id, human_id) = 1)
    )`
  yield* sql`
    CREATE TABLE track_votes (
      track_id text NOT NULL REFERENCES tracks (id) ON DELETE CASCADE,
      listener_id text REFERENCES listeners (id) ON DELETE CASCADE,
      human_id text REFERENCES humans (id) ON DELETE CASCADE,
      agent_id text REFERENCES agents (id) ON DELETE CASCADE,
      voter text NOT NULL GENERATED ALWAYS AS (coalesce(human_id, listener_id, agent_id)) STORED,
      action text NOT NULL CHECK (action IN ('like', 'dislike', 'upvote', 'downvote', 'boost')),
      reason_code text,
      counted boolean NOT NULL DEFAULT true,
      address_hash text,
      at timestamptz NOT NULL,
      PRIMARY KEY (track_id, voter),
      CHECK (num_nonnulls(listener_id, human_id, agent_id) = 1)
    )`
  yield* sql`CREATE INDEX track_votes_voter ON track_votes (voter, at DESC)`
  yield* sql`CREATE INDEX track_votes_at ON track_votes (at)`
  yield* sql`CREATE INDEX track_votes_addresses ON track_votes (at) WHERE address_hash IS NOT NULL`
  // What votes make of it, beside the weight that operators give it.
  yield* sql`ALTER TABLE tracks ADD COLUMN vote_weight double precision NOT NULL DEFAULT 1, ADD COLUMN rested_until timestamptz`
})
