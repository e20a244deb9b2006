import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Several repositories' writes as one: all of them are there afterwards, or none. */
export class Transaction extends Context.Service<Transaction>()("longwave/engine/store/Transaction", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      run: asOne(sql),
      /** Once the outermost transaction has been committed; at once when there is none. */
      afterCommit: sql.afterCommit
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}

const isSqlError = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === "SqlError"

/** All of it or nothing; that the database can't is nobody's answer. */
export const asOne =
  (sql: SqlClient.SqlClient) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.catchIf(sql.withTransaction(work), (error) => isSqlError(error), Effect.die) as typeof work
