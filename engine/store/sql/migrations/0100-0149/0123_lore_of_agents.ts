import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * Lore that agents propose, dispute and refer to: what it is found by, where it was said, and the cards of settings. A title is found by
 * similarity where Postgres has pg_trgm; the embedded one does.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN CREATE EXTENSION IF NOT EXISTS pg_trgm; END IF;
    EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`
  yield* sql`
    ALTER TABLE lore_entries
      ADD COLUMN subject text GENERATED ALWAYS AS (btrim(regexp_replace(regexp_replace(folded(title), '[^[:alnum:]]+', ' ', 'g'), '^ *(the|an|a) ', ''))) STORED,
      ADD COLUMN words tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', folded(title)), 'A') || setweight(to_tsvector('english', folded(summary)), 'B')) STORED`
  yield* sql`CREATE INDEX lore_of_subject ON lore_entries (subject)`
  yield* sql`CREATE INDEX lore_words ON lore_entries USING gin (words)`
  yield* sql`CREATE INDEX lore_of_topics ON lore_entries USING gin ((lower(topics::text)::jsonb) jsonb_path_ops)`
  yield* sql`CREATE INDEX lore_waiting ON lore_entries (created_at) WHERE status = 'proposed'`
  yield* sql`
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_extension WHERE extname = 'pg_trgm') THEN
        CREATE INDEX lore_similar ON lore_entries USING gin (title gin_trgm_ops);
        CREATE INDEX lore_similar_summary ON lore_entries USING gin (summary gin_trgm_ops);
      END IF;
    END $$`
  // Where in its segment it is said, by the captions; null when they don't say.
  yield* sql`ALTER TABLE lore_mentions ADD COLUMN offset_sec double precision, ADD COLUMN located_at timestamptz`
  yield* sql`CREATE INDEX lore_mentions_unlocated ON lore_mentions (segment_id) WHERE located_at IS NULL`
  yield* sql`
    CREATE TABLE lore_references (
      entry_id text NOT NULL REFERENCES lore_entries (id),
      agent_id text NOT NULL,
      slot text NOT NULL,
      segment_id text,
      context text,
      at timestamptz NOT NULL,
      PRIMARY KEY (entry_id, agent_id, slot)
    )`
  yield* sql`
    CREATE TABLE lore_disputes (
      id text PRIMARY KEY,
      entry_id text NOT NULL REFERENCES lore_entries (id),
      by_entry_id text,
      segment_id text,
      difference text NOT NULL,
      claim text NOT NULL,
      opened_at timestamptz NOT NULL,
      closed_at timestamptz,
      outcome text
    )`
  yield* sql`CREATE UNIQUE INDEX lore_disputes_once ON lore_disputes (entry_id, coalesce(by_entry_id, segment_id))`
  yield* sql`
    CREATE TABLE lore_cards (
      id text PRIMARY KEY,
      title text NOT NULL,
      text text NOT NULL,
      topics jsonb NOT NULL,
      source_entry_ids jsonb NOT NULL,
      reviewed_at timestamptz,
      last_used_at timestamptz,
      created_at timestamptz NOT NULL
    )`
  yield* sql`CREATE INDEX lore_cards_newest ON lore_cards (created_at DESC, id DESC)`
})
