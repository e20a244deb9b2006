import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The council's docket with its comments and ballots, and the archive of simulated councils. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE council_items (
      id text PRIMARY KEY,
      title text NOT NULL,
      summary text NOT NULL,
      source jsonb,
      status text NOT NULL CHECK (status IN ('open', 'voting', 'recognized', 'deferred', 'rejected', 'needs_air', 'merged', 'expired')),
      opened_by text NOT NULL,
      owner_key text NOT NULL,
      closes_at timestamptz NOT NULL,
      merged_into_id text,
      outcome jsonb,
      hidden boolean NOT NULL DEFAULT false,
      -- Those who took part are told of the end in order of their ids: this one was the last.
      told_to text NOT NULL DEFAULT '',
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX council_newest ON council_items (created_at DESC, id DESC) WHERE NOT hidden`
  yield* sql`CREATE INDEX council_of_status ON council_items (status, created_at DESC, id DESC) WHERE NOT hidden`
  yield* sql`
    CREATE TABLE council_ballots (
      seq bigint GENERATED ALWAYS AS IDENTITY,
      id text NOT NULL UNIQUE,
      item_id text NOT NULL REFERENCES council_items (id),
      agent_id text NOT NULL,
      owner_key text NOT NULL,
      stance text NOT NULL CHECK (stance IN ('recognize', 'defer', 'reject', 'needs_air', 'merge')),
      weight integer NOT NULL,
      merge_into_id text,
      body text,
      hidden boolean NOT NULL DEFAULT false,
      cast_at timestamptz NOT NULL,
      PRIMARY KEY (item_id, agent_id)
    )`
  yield* sql`
    CREATE TABLE council_comments (
      id text PRIMARY KEY,
      item_id text NOT NULL REFERENCES council_items (id),
      agent_id text NOT NULL,
      body text NOT NULL,
      hidden boolean NOT NULL DEFAULT false,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX council_comments_newest ON council_comments (item_id, created_at DESC, id DESC)`
  yield* sql`
    CREATE TABLE persona_readouts (
      id text PRIMARY KEY,
      question text NOT NULL,
      asked_by text NOT NULL,
      personas jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX persona_readouts_newest ON persona_readouts (created_at DESC, id DESC)`
})
