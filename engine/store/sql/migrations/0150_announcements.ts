import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What the station says between contributions, with the facts that it states, and the operators' switches. It takes the place of the fixed sentences
 * that an earlier version made; the calls of the hours are made again in shorter words.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE announcements (
      id text PRIMARY KEY,
      kind text NOT NULL,
      state text NOT NULL CHECK (state IN ('making', 'ready', 'aired', 'dropped')),
      reason text,
      title text NOT NULL,
      sentences jsonb NOT NULL,
      after_item_id text,
      before_item_id text,
      valid_from timestamptz NOT NULL,
      valid_until timestamptz NOT NULL,
      -- When it is expected to begin, then when it began.
      at timestamptz NOT NULL,
      asset_id text NOT NULL,
      airable jsonb,
      length_ms integer,
      -- The person whom it names.
      human_id text,
      kept_until timestamptz NOT NULL,
      fence bigint NOT NULL
    )`
  yield* sql`CREATE INDEX announcements_open ON announcements (at) WHERE state IN ('making', 'ready')`
  yield* sql`CREATE INDEX announcements_newest ON announcements (at DESC, id DESC)`
  yield* sql`CREATE INDEX announcements_old ON announcements (kept_until)`
  yield* sql`CREATE INDEX announcements_of_person ON announcements (human_id) WHERE human_id IS NOT NULL`
  yield* sql`CREATE TABLE announcement_switches (kind text PRIMARY KEY, is_on boolean NOT NULL)`
  yield* sql`DELETE FROM house_pieces WHERE role = 'filler' OR name LIKE 'hour_call:%'`
})
