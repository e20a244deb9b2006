import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { databaseAt } from "../../../engine/store/sql/Database.ts"

const databaseUrl = (name: string): Redacted.Redacted => {
  const url = new URL(inject("postgresTemplate"))
  url.pathname = `/${name}`
  // A test may move its clock by a day while a connection is made.
  url.searchParams.set("connect_timeout", "0")
  return Redacted.make(url.href)
}

/** Runs over another database's connection: a database in use can be neither copied nor dropped. */
const runBeside = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`${sql.literal(statement)}`).pipe(
    Effect.provide(PgClient.layer({ url: databaseUrl("template1") })),
    Effect.orDie
  )

/** Address of a new database on a real server; it is dropped with its scope. */
export const makeDatabase = Effect.fnUntraced(function* (
  template = new URL(inject("postgresTemplate")).pathname.slice(1)
) {
  const name = `test_${randomBytes(8).toString("hex")}`
  // Copying the files takes a third of the time that copying their pages through the log takes.
  yield* Effect.acquireRelease(runBeside(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`), () =>
    runBeside(`DROP DATABASE ${name} WITH (FORCE)`)
  )
  return databaseUrl(name)
})

/** A new database on a real server, with the migrated schema; it is dropped with its scope. */
export const TestPostgres = Layer.unwrap(Effect.map(makeDatabase(), databaseAt)).pipe(
  Layer.provideMerge(NodeServices.layer)
)

/** The same for code that makes its own connections. */
export const runOnOwnDatabase = <A>(use: (url: Redacted.Redacted) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(makeDatabase(), (url) => Effect.promise(() => use(url)))).pipe(
      Effect.provide(NodeServices.layer)
    )
  )

/** An empty database; it is dropped with its scope. */
export const emptyDatabase = Effect.provide(makeDatabase("template0"), NodeServices.layer)

/**
 * Fills tables of the test's database over a connection of its own, however long that takes: the store gives a statement up after some seconds, and
 * then takes its connection for broken.
 */
export const fillTables = <A, E>(fill: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [database] = yield* sql<{ readonly name: string }>`SELECT current_database() AS name`
    return yield* Effect.flatMap(SqlClient.SqlClient, fill).pipe(
      Effect.provide(PgClient.layer({ url: databaseUrl(database!.name) }))
    )
  })
