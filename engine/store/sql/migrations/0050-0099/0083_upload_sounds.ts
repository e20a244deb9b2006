import { Effect } from "effect"
import { SqlClient } from "effect/sql"

/** Who wants to hear a sound asks whose recording it is. */
export default Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`CREATE INDEX uploads_of_sound ON uploads (asset_id) WHERE asset_id IS NOT NULL`
)
