import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { databaseAt } from "../../../engine/store/sql/Database.ts"

const at = (name: string): Redacted.Redacted => {
  const url = new URL(inject("postgresTemplate"))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/** Done from beside: a database that somebody is connected to is neither copied nor dropped. */
const beside = (statement: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`${sql.literal(statement)}`).pipe(
    Effect.provide(PgClient.layer({ url: at("template1") })),
    Effect.orDie
  )

/** The address of a database of its own on a real server; it goes with its scope. */
export const ownDatabase = Effect.fnUntraced(function* (
  template = new URL(inject("postgresTemplate")).pathname.slice(1)
) {
  const name = `test_${randomBytes(8).toString("hex")}`
  yield* Effect.acquireRelease(beside(`CREATE DATABASE ${name} TEMPLATE ${template}`), () =>
    beside(`DROP DATABASE ${name} WITH (FORCE)`)
  )
  return at(name)
})

/** A database of its own on a real server, with the migrated schema; it goes with its scope. */
export const TestPostgres = Layer.unwrap(Effect.map(ownDatabase(), databaseAt)).pipe(
  Layer.provideMerge(NodeServices.layer)
)

/** The same for what makes its own connections. */
export const onOwnDatabase = <A>(use: (url: Redacted.Redacted) => Promise<A>): Promise<A> =>
  Effect.runPromise(
    Effect.scoped(Effect.flatMap(ownDatabase(), (url) => Effect.promise(() => use(url)))).pipe(
      Effect.provide(NodeServices.layer)
    )
  )

/** A database without a table; it goes with its scope. */
export const emptyDatabase = Effect.provide(ownDatabase("template0"), NodeServices.layer)
