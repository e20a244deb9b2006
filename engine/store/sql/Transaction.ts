import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { gatherReads } from "./gather.ts"

/** Writes of several repositories as one transaction. */
export class Transaction extends Context.Service<Transaction>()("longwave/engine/store/Transaction", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      run: <A, E, R>(work: Effect.Effect<A, E, R>) => runAsOne(sql)(gatherReads(sql)(work)),
      /** Reads that the work asks for at the same time go to the database as one statement, as they do in a transaction. */
      gatherReads: gatherReads(sql),
      /** Runs after the outermost transaction has committed; at once without one. */
      afterCommit: sql.afterCommit
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const isSqlError = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** Runs the work in a transaction. SQL errors become defects. */
export const runAsOne =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchIf(sql.withTransaction(work), (error) => isSqlError(error), Effect.die) as typeof work
