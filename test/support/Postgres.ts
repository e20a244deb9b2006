import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { databaseAt } from "../../engine/store/Database.ts"

const at = (name: string): Redacted.Redacted => {
  const url = new URL(inject("postgresTemplate"))
  url.pathname = `/${name}`
  return Redacted.make(url.href)
}

/** Done from beside: a database that somebody is connected to is neither copied nor dropped. */
const beside = (statement: string) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql`${sql.literal(statement)}`).pipe(Effect.provide(PgClient.layer({ url: at("template1") })), Effect.orDie)

/** A database of its own on a real server, with the migrated schema; it goes with its scope. */
export const TestPostgres = Layer.unwrap(Effect.gen(function*() {
  const name = `test_${randomBytes(8).toString("hex")}`
  const template = new URL(inject("postgresTemplate")).pathname.slice(1)
  yield* Effect.acquireRelease(beside(`CREATE DATABASE ${name} TEMPLATE ${template}`), () => beside(`DROP DATABASE ${name} WITH (FORCE)`))
  return databaseAt(at(name))
})).pipe(Layer.provideMerge(NodeServices.layer))
