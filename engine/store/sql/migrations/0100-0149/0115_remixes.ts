import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The remixes of a track. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX tracks_remixes ON tracks (remix_of_track_id) WHERE remix_of_track_id IS NOT NULL`
})
