import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * What people look for songs by: the words of title and artist without capitals and accents, by an index. Of marks, those that
 * combine are dropped once letters and marks are apart.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE FUNCTION folded(given text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT regexp_replace(normalize(lower(given), NFKD), ${sql.literal(`'[\\u0300-\\u036f]'`)}, '', 'g') $$`
  yield* sql`ALTER TABLE tracks ADD COLUMN words tsvector GENERATED ALWAYS AS (to_tsvector('simple', folded(title || ' ' || artist))) STORED`
  const offered = sql.literal("WHERE approval_status = 'approved' AND category IN ('song', 'instrumental')")
  yield* sql`CREATE INDEX tracks_words ON tracks USING gin (words) ${offered}`
  yield* sql`CREATE INDEX tracks_offered ON tracks (created_at DESC, id DESC) ${offered}`
  yield* sql`CREATE INDEX tracks_offered_genre ON tracks (genre, created_at DESC, id DESC) ${offered}`
  yield* sql`CREATE INDEX tracks_offered_artist ON tracks (folded(artist), created_at DESC, id DESC) ${offered}`
})
