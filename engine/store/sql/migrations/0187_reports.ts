import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What listeners reported. Reports of one thing share a case, whose id is that of its first report. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`
    CREATE TABLE reports (
      id text PRIMARY KEY,
      case_id text NOT NULL,
      subject_type text NOT NULL,
      subject_id text NOT NULL,
      title text,
      reason text NOT NULL,
      words text,
      contact_sealed text,
      told_at timestamptz,
      created_at timestamptz NOT NULL,
      closed_at timestamptz
    )`
  yield* sql`CREATE INDEX reports_of_case ON reports (case_id, created_at)`
  yield* sql`CREATE INDEX reports_of_subject ON reports (subject_type, subject_id) WHERE closed_at IS NULL`
  yield* sql`CREATE INDEX reports_by_closing ON reports (closed_at) WHERE closed_at IS NOT NULL`
})
