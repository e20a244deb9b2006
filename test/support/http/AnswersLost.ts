import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** The state after a kill between a command's effect and its answer: the result is stored, and no answer. */
export const answersLost = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`UPDATE idempotency_keys SET status = NULL, body_sealed = NULL, state = 'running' WHERE results <> '{}' RETURNING 1`
)
