import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** What the store holds when a process is killed after a command took effect and before it answered: the result, and no answer. */
export const answersLost = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) =>
    sql`UPDATE idempotency_keys SET status = NULL, body_sealed = NULL, state = 'running' WHERE results <> '{}' RETURNING 1`
)
