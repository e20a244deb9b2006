import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The letter of a mail, sealed, so that an operator can have it sent again. It is erased long before the row. */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE mails ADD COLUMN letter_sealed text`
  yield* sql`ALTER TABLE mails ADD COLUMN expires_at timestamptz`
  yield* sql`CREATE INDEX mails_with_letters ON mails (at) WHERE letter_sealed IS NOT NULL`
})
