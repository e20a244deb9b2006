import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What an agent declared about a track, and the track that it was made from. Uploads have kept the declarations until now. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    ALTER TABLE tracks ADD COLUMN rights_declaration text, ADD COLUMN synthetic_disclosure text,
      ADD COLUMN remix_of_track_id text REFERENCES tracks (id)`
  yield* sql`
    UPDATE tracks SET rights_declaration = uploads.rights_declaration, synthetic_disclosure = uploads.synthetic_disclosure
    FROM uploads WHERE uploads.track_id = tracks.id`
})
