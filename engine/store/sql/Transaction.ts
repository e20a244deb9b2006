import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { afterCommitTogether, transactionOf } from "./afterCommit.ts"
import { withFewServices } from "./fewServices.ts"
import { gatherStatements } from "./gather.ts"

/** Writes of several repositories as one transaction. */
export class Transaction extends Context.Service<Transaction>()("longwave/engine/store/Transaction", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    return {
      /** In another transaction a savepoint: its failure can be handled there. */
      run: runAsOne(sql),
      /** In another transaction a part of it. */
      join: joinTransaction(sql),
      /** Runs after the outermost transaction has committed; at once without one. */
      afterCommit: sql.afterCommit,
      /** The same at less cost, for work without services. */
      afterCommitTogether: afterCommitTogether(sql),
      /** Reads that the work asks for at the same time go to the database as one statement, as they do in a transaction. */
      gatherReads: gatherStatements(sql)
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
    Effect.withFiber((fiber) => {
      const gathered = gatherStatements(sql)(work)
      return Effect.catchIf(
        transactionOf(sql, fiber.context) === undefined
          ? withFewServices(gathered, sql.withTransaction)
          : sql.withTransaction(gathered),
        (error) => isSqlError(error),
        Effect.die
      ) as typeof work
    })

/**
 * Runs the work in the caller's transaction, or in one of its own. Unlike a savepoint, which costs two statements, it can't be undone alone:
 * the caller's transaction must fail with it.
 */
export const joinTransaction = (sql: SqlClient.SqlClient) => {
  const run = runAsOne(sql)
  return <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => (transactionOf(sql, fiber.context) === undefined ? run(work) : work))
}
