import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Schedule, String } from "effect"
import { StationConfig } from "../Config.ts"
import { databaseConnectionsMax, databaseConnectTimeoutMs, databaseRetryMaxMs, databaseSilenceMs, statementTimeoutMs } from "../Limits.ts"
import { DatabaseLines, placeOf } from "./DatabaseLines.ts"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { migrations } from "./Migrations.ts"

/** What the driver, the system or our own Postgres said, without what was wrapped around it. */
const reasonOf = (fault: unknown): string => {
  const { cause, code, detail, message, reason } = fault as { readonly cause?: unknown; readonly code?: unknown; readonly detail?: unknown; readonly message?: unknown; readonly reason?: unknown }
  const inner = reason ?? cause
  return typeof inner === "object" && inner !== null ? reasonOf(inner) : [detail ?? message, code].find((said) => typeof said === "string" && said !== "") as string ?? "it does not say why"
}

/** The database may come later than the station: it is waited for, and each reason to wait is told once. */
const patiently = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => {
  let told: string | undefined
  return effect.pipe(
    Effect.tapError((fault) => Effect.suspend(() => {
      const reason = reasonOf(fault)
      if (reason === told) return Effect.void
      told = reason
      return Effect.logError(`${what} can't be used: ${reason}. The station stays on the air, without its API until the database answers; trying on.`)
    })),
    Effect.retry(Schedule.min([Schedule.exponential(100), Schedule.spaced(databaseRetryMaxMs)])),
    Effect.orDie
  )
}

const clientAt = (url: Redacted.Redacted, connections: number, parameters: Record<string, string>) => {
  const lines = new DatabaseLines(placeOf(Redacted.value(url)), databaseSilenceMs)
  return PgClient.layer({
    url,
    stream: () => lines.open(),
    maxConnections: connections,
    connectTimeout: databaseConnectTimeoutMs,
    startupParameters: { statement_timeout: `${statementTimeoutMs}`, timezone: "UTC", ...parameters },
    transformQueryNames: String.camelToSnake,
    transformResultNames: String.snakeToCamel,
    transformJson: false,
    applicationName: "longwave"
  })
}

/** One pool and the migrated schema behind a Postgres address. */
export const databaseAt = (url: Redacted.Redacted) =>
  PgMigrator.layer({ loader: PgMigrator.fromRecord(migrations) }).pipe(Layer.provideMerge(clientAt(url, databaseConnectionsMax, {})))

/** The same to somebody who only looks: the database itself refuses whatever would change something. */
export const readerAt = (url: Redacted.Redacted) => clientAt(url, 2, { default_transaction_read_only: "on" })

/** The store: the configured Postgres, or the station's own. Built once it answers; queries reconnect by themselves. */
export const Database = Layer.unwrap(Effect.gen(function*() {
  const config = yield* StationConfig
  const url = config.databaseUrl === null
    ? yield* patiently("The station's own Postgres", embeddedPostgres(config.dataDir))
    : Redacted.make(config.databaseUrl)
  return Layer.effectContext(patiently(config.databaseUrl === null ? "The station's own database" : "DATABASE_URL", Layer.build(databaseAt(url))))
}))
