import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/**
 * The result of a command lies beside its key, written in the transaction of its effect: one entry for each actor message that the
 * command consists of. What a command made no longer has to carry the command's key itself.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`ALTER TABLE idempotency_keys ADD COLUMN results jsonb NOT NULL DEFAULT '{}'`
  yield* sql`ALTER TABLE posts ALTER COLUMN command_key DROP NOT NULL`
  yield* sql`ALTER TABLE song_requests ALTER COLUMN command_key DROP NOT NULL`
  yield* sql`ALTER TABLE chat_messages ALTER COLUMN command_key DROP NOT NULL`
  yield* sql`ALTER TABLE comments ALTER COLUMN command_key DROP NOT NULL`
})
