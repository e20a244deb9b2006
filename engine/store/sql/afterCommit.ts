import { Context, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { fewServicesOf } from "./fewServices.ts"

/** The transaction of a context, another object at each savepoint; undefined outside of any. */
export const transactionOf = (sql: SqlClient.SqlClient, context: Context.Context<never>): object | undefined =>
  Context.getOrUndefined(context as Context.Context<unknown>, sql.transactionService as never)

/** Work of each transaction that runs after its commit. */
const due = new WeakMap<object, Array<Effect.Effect<unknown>>>()

/**
 * Runs work without services after the outermost transaction has committed, at once without one. `sql.afterCommit` copies the hundreds of
 * services of its caller each time, so it is called once for the work of a transaction.
 */
export const afterCommitTogether =
  (sql: SqlClient.SqlClient) =>
  (work: Effect.Effect<unknown>): Effect.Effect<void> =>
    Effect.withFiber((fiber) => {
      const transaction = transactionOf(sql, fiber.context)
      if (transaction === undefined) return sql.afterCommit(Effect.asVoid(work))
      const before = due.get(transaction)
      if (before !== undefined) {
        before.push(work)
        return Effect.void
      }
      const all = [work]
      due.set(transaction, all)
      return Effect.setContext(
        sql.afterCommit(
          Effect.suspend(() => {
            due.delete(transaction)
            return Effect.forEach(all, (one) => Effect.ignoreCause(one, { log: "Error" }), { discard: true })
          })
        ),
        Context.addUnsafe(fewServicesOf(fiber), sql.transactionService.key, transaction)
      )
    })
