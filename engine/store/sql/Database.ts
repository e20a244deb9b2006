import { PgClient, PgMigrator } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted, Schedule, Schema, String } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { BadConfig, clusterOf, StationConfig } from "../../runtime/Config.ts"
import {
  databaseConnectTimeoutMs,
  databaseConnectionsMax,
  databaseRetryMaxMs,
  databaseSilenceMs,
  statementTimeoutMs,
  transactionIdleMs
} from "../../rules/runtime/limits.ts"
import { nameOfColumn } from "./columnNames.ts"
import { watchStatements } from "./Changes.ts"
import { ConnectionWatch, placeOf } from "./ConnectionWatch.ts"
import { buildIndexes } from "./Indexes.ts"
import { embeddedPostgres } from "./EmbeddedPostgres.ts"
import { migrations } from "./Migrations.ts"
import { rows } from "./rows.ts"
import { shareReads } from "./SharedReads.ts"
import { markShared } from "./sharedDatabase.ts"

/** The root cause from the driver, the system or the embedded Postgres, without wrappers. */
const reasonOf = (fault: unknown): string => {
  const { cause, code, detail, message, reason } = fault as {
    readonly cause?: unknown
    readonly code?: unknown
    readonly detail?: unknown
    readonly message?: unknown
    readonly reason?: unknown
  }
  const inner = reason ?? cause
  return typeof inner === "object" && inner !== null
    ? reasonOf(inner)
    : (([detail ?? message, code].find((said) => typeof said === "string" && said !== "") as string) ??
        "it does not say why")
}

const isBadConfig = Schema.is(BadConfig)

/** Waits for a database that starts after the station, and logs each reason once. */
export const awaitDatabase = <A, E, R>(what: string, effect: Effect.Effect<A, E, R>) => {
  let told: string | undefined
  return effect.pipe(
    Effect.tapError((fault) =>
      Effect.suspend(() => {
        const reason = reasonOf(fault)
        if (reason === told) return Effect.void
        told = reason
        return Effect.logError(
          `${what} can't be used: ${reason}. The station stays on the air, without its API until the database answers; trying on.`
        )
      })
    ),
    Effect.retry({
      while: (fault) => !isBadConfig(fault),
      schedule: Schedule.min([Schedule.exponential(100), Schedule.spaced(databaseRetryMaxMs)])
    }),
    Effect.catch((fault) => (isBadConfig(fault) ? Effect.fail(fault) : Effect.die(fault)))
  )
}

const common = {
  transformQueryNames: String.camelToSnake,
  transformResultNames: nameOfColumn,
  transformJson: false,
  applicationName: "longwave"
}
/** `connect_timeout` in the operator's address takes precedence. */
const connectTimeoutOf = (url: Redacted.Redacted) =>
  new URL(Redacted.value(url)).searchParams.has("connect_timeout") ? {} : { connectTimeout: databaseConnectTimeoutMs }
const clientAt = (
  url: Redacted.Redacted,
  connections: number,
  parameters: Record<string, string>,
  { sharesReads = false }: { readonly sharesReads?: boolean } = {}
) => {
  const watch = new ConnectionWatch(placeOf(Redacted.value(url)), databaseSilenceMs)
  const config = {
    ...common,
    ...connectTimeoutOf(url),
    url,
    startupParameters: { statement_timeout: `${statementTimeoutMs}`, timezone: "UTC", ...parameters }
  }
  const own = PgClient.make({ ...config, stream: () => watch.open(), maxConnections: connections })
  return PgClient.layerFrom(
    sharesReads ? Effect.flatMap(own, (client) => shareReads(client, config, watch, connections)) : own
  )
}
/** Changes of the schema may take minutes on large tables: no statement of theirs is broken off, and silence means work. */
export const schemaClientAt = (url: Redacted.Redacted) =>
  PgClient.layer({
    ...common,
    ...connectTimeoutOf(url),
    url,
    maxConnections: 2,
    startupParameters: { statement_timeout: "0", timezone: "UTC" }
  })

const migrationsTable = "effect_sql_migrations"
const appliedRows = rows(Schema.Struct({ id: Schema.Int }))

/**
 * The migrator runs migrations numbered above the database's newest and silently skips those below. A migration merged with a lower number would
 * never run, and the first statement that needs it would fail.
 */
const refuseSkipped = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* sql`SELECT to_regclass(${migrationsTable}) IS NOT NULL AS exists`
  if (table?.["exists"] !== true) return
  const ids = new Set(
    (yield* appliedRows(sql`SELECT migration_id AS id FROM ${sql(migrationsTable)}`)).map(({ id }) => id)
  )
  const newest = Math.max(...ids)
  const skipped = Object.keys(migrations).filter((name) => {
    const id = Number.parseInt(name, 10)
    return id < newest && !ids.has(id)
  })
  if (skipped.length > 0)
    return yield* new BadConfig({
      problems: skipped.map(
        (name) =>
          `The database has been through migration ${newest}, but not through ${name}, which has a lower number and would be skipped. Give it a number above ${newest}.`
      )
    })
})

const migrate = Effect.andThen(refuseSkipped, PgMigrator.run({ loader: PgMigrator.fromRecord(migrations) }))

/** Applies these migrations alone to an empty database. */
export const migrateTo = (url: Redacted.Redacted, ids: ReadonlySet<number>) =>
  PgMigrator.run({
    loader: PgMigrator.fromRecord(
      Object.fromEntries(Object.entries(migrations).filter(([name]) => ids.has(Number.parseInt(name, 10))))
    )
  }).pipe(Effect.provide(schemaClientAt(url)))

/** Brings the schema up to date. Indexes of large tables follow beside the running station. */
const schemaAt = (url: Redacted.Redacted) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const later = yield* Effect.provide(Effect.andThen(migrate, buildIndexes), schemaClientAt(url))
      yield* Effect.forkScoped(Effect.provide(later, schemaClientAt(url)))
    })
  )

/** A connection pool for a Postgres address, with the schema migrated. `isShared`: other processes wait for the rows that this one has locked. */
export const databaseAt = (url: Redacted.Redacted, { isShared = false }: { readonly isShared?: boolean } = {}) =>
  Layer.effect(Statement.CurrentTransformer, Effect.map(SqlClient.SqlClient, watchStatements)).pipe(
    Layer.provideMerge(
      schemaAt(url).pipe(
        Layer.provideMerge(
          clientAt(
            url,
            databaseConnectionsMax,
            isShared ? { idle_in_transaction_session_timeout: `${transactionIdleMs}` } : {},
            { sharesReads: true }
          )
        )
      )
    )
  )

/** One connection, for what lasts as long as its session. */
export const sessionAt = (url: Redacted.Redacted) => clientAt(url, 1, { statement_timeout: "0" })

/** A read-only pool: the database refuses every change. */
export const readerAt = (url: Redacted.Redacted) => clientAt(url, 2, { default_transaction_read_only: "on" })

/** The store: the configured Postgres, or the embedded one. Built once it answers; queries reconnect by themselves. */
export const Database = Layer.unwrap(
  Effect.gen(function* () {
    const config = yield* StationConfig
    const url =
      config.databaseUrl === null
        ? yield* awaitDatabase("The station's own Postgres", embeddedPostgres(config.dataDir))
        : Redacted.make(config.databaseUrl)
    const isShared = clusterOf(config) !== null
    return Layer.effectContext(
      awaitDatabase(
        config.databaseUrl === null ? "The station's own database" : "DATABASE_URL",
        Effect.tap(Layer.build(databaseAt(url, { isShared })), (context) =>
          Effect.sync(() => {
            if (isShared) markShared(Context.get(context, SqlClient.SqlClient))
          })
        )
      )
    )
  })
)
