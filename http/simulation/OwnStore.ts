import { Effect, Layer, Redacted } from "effect"
import { BadConfig, StationConfig } from "../../engine/runtime/Config.ts"
import { holdDataDir } from "../../engine/runtime/DataDir.ts"
import { databaseAt } from "../../engine/store/sql/Database.ts"
import { embeddedPostgres, foundPostgres } from "../../engine/store/sql/EmbeddedPostgres.ts"

/** Server of the station's store: the running station's, or one started while the scope lasts. Null without a station. */
export const ownStore = Effect.gen(function* () {
  const { databaseUrl, dataDir } = yield* StationConfig
  if (databaseUrl !== null) return { url: Redacted.make(databaseUrl), source: "the database that DATABASE_URL names" }
  const found = yield* foundPostgres(dataDir)
  if (found._tag === "None") return null
  if (found._tag === "Running") return { url: found.url, source: `the station that runs on ${dataDir}` }
  yield* holdDataDir(dataDir)
  return { url: yield* embeddedPostgres(dataDir), source: `the station in ${dataDir}, which is not running` }
})

/**
 * The store for a command of the host, while the station runs or rests. Unlike the station, a command doesn't wait for a database: it fails with the
 * reason.
 */
export const OwnDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const store = yield* ownStore
    if (store === null)
      return yield* new BadConfig({
        problems: ["DATA_DIR holds no station: it must be the folder of one, or DATABASE_URL must name its database."]
      })
    return databaseAt(store.url)
  })
)
