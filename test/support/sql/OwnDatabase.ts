import { NodeServices } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { readFileSync } from "node:fs"
import { join } from "node:path"

/** Changes rows in the embedded database of a running station directly. */
export const inDatabaseOf = async <A>(
  dataDir: string,
  change: (sql: SqlClient.SqlClient) => Effect.Effect<A, unknown, SqlClient.SqlClient>
): Promise<A> => {
  const port = readFileSync(join(dataDir, "pg", "postmaster.pid"), "utf8").split("\n")[3]
  const secret = readFileSync(join(dataDir, "pg.password"), "utf8").trim()
  const client = PgClient.layer({ url: Redacted.make(`postgres://longwave:${secret}@127.0.0.1:${port}/postgres`) })
  return Effect.runPromise(
    Effect.flatMap(SqlClient.SqlClient, change).pipe(Effect.provide(Layer.provide(client, NodeServices.layer)))
  )
}
