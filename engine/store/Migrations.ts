import type { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import migration0001 from "./migrations/0001_stations.ts"
import migration0030 from "./migrations/0030_assets.ts"
import migration0031 from "./migrations/0031_tracks.ts"
import migration0032 from "./migrations/0032_rundowns.ts"
import migration0033 from "./migrations/0033_as_run.ts"

/** Every change of the schema in its order. Numbers are never reused; what has landed is never edited. */
export const migrations: Record<string, Effect.Effect<unknown, unknown, SqlClient.SqlClient>> = {
  "0001_stations": migration0001,
  "0030_assets": migration0030,
  "0031_tracks": migration0031,
  "0032_rundowns": migration0032,
  "0033_as_run": migration0033
}
