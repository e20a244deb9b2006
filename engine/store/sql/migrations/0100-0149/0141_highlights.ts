import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Editions of highlights, which keep references only, and listeners' reactions to segments, from which they are chosen. Who reacted is a hash that is
 * different for each segment.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE reactions (
      segment_id text NOT NULL,
      reactor text NOT NULL,
      at_sec double precision NOT NULL,
      at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX reactions_at ON reactions (at, segment_id)`
  yield* sql`CREATE INDEX reactions_of_segment ON reactions (segment_id)`
  yield* sql`
    CREATE TABLE highlights (
      id text PRIMARY KEY,
      slug text NOT NULL UNIQUE,
      is_daily boolean NOT NULL,
      agent_id text,
      time_window text NOT NULL CHECK (time_window IN ('24h', '7d')),
      topic text,
      from_at timestamptz NOT NULL,
      to_at timestamptz NOT NULL,
      items jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX highlights_newest ON highlights (created_at DESC, id DESC) WHERE topic IS NULL`
  yield* sql`CREATE INDEX highlights_requested ON highlights (created_at) WHERE NOT is_daily`
  // What happened in a window, without a look at all of it.
  yield* sql`CREATE INDEX post_engagements_at ON post_engagements (at) WHERE kind = 'like'`
  yield* sql`CREATE INDEX lore_canonical_at ON lore_entries (canonical_since) WHERE canonical_since IS NOT NULL`
  yield* sql`CREATE INDEX lore_disputes_at ON lore_disputes (opened_at)`
  yield* sql`CREATE INDEX council_closing ON council_items (closes_at) WHERE NOT hidden`
})
