import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule, String } from "effect"
import { StationConfig } from "../Config.ts"
import { databaseConnectionsMax, databaseConnectTimeoutMs, databaseRetryMaxMs, databaseSilenceMs, statementTimeoutMs } from "../Limits.ts"
import { DatabaseLines, placeOf } from "./DatabaseLines.ts"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { migrations } from "./Migrations.ts"

/** The database may come later than the station: it is waited for, and the wait is told once. */
const patiently = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.tapError((cause) => Effect.logWarning(`${what} is not there yet, trying on`, cause)),
    Effect.retry(Schedule.min([Schedule.exponential(100), Schedule.spaced(databaseRetryMaxMs)])),
    Effect.orDie
  )

/** One pool and the migrated schema behind a Postgres address. */
export const databaseAt = (url: Redacted.Redacted) => {
  const lines = new DatabaseLines(placeOf(Redacted.value(url)), databaseSilenceMs)
  return PgMigrator.layer({ loader: PgMigrator.fromRecord(migrations) }).pipe(
    Layer.provideMerge(PgClient.layer({
      url,
      stream: () => lines.open(),
      maxConnections: databaseConnectionsMax,
      connectTimeout: databaseConnectTimeoutMs,
      startupParameters: { statement_timeout: `${statementTimeoutMs}`, timezone: "UTC" },
      transformQueryNames: String.camelToSnake,
      transformResultNames: String.snakeToCamel,
      transformJson: false,
      applicationName: "longwave"
    }))
  )
}

/** The store: the configured Postgres, or the station's own. Built once it answers; queries reconnect by themselves. */
export const Database = Layer.unwrap(Effect.gen(function*() {
  const config = yield* StationConfig
  const url = config.databaseUrl === null
    ? yield* patiently("The station's own Postgres", embeddedPostgres(config.dataDir))
    : Redacted.make(config.databaseUrl)
  return Layer.effectContext(patiently("The database", Layer.build(databaseAt(url))))
}))
