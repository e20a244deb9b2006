import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Fingerprints of music that the station made itself; empty where the sound can't be read. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE assets ADD COLUMN fingerprint bytea`
  yield* sql`CREATE INDEX assets_alike ON assets (length_samples) WHERE fingerprint IS NOT NULL`
  yield* sql`CREATE INDEX music_variants_alike ON music_variants (duration_sec) WHERE fingerprint IS NOT NULL`
})
