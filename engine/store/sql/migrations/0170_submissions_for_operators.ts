import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Operators list all recordings that people sent in, and decide on them by their own ids. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE INDEX music_submissions_newest ON music_submissions (created_at DESC, id DESC) WHERE status <> 'examining'`
  yield* sql`CREATE INDEX reviews_of_submissions ON reviews (subject_id, created_at DESC, id DESC) WHERE subject_type = 'music_submission'`
})
