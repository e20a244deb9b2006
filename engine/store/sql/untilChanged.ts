import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { readKeptMs } from "../../rules/runtime/limits.ts"
import { transactionOf } from "./afterCommit.ts"
import { Changes, Sources } from "./Changes.ts"

/**
 * Keeps the result of a read that many requests need, until one of its tables changes. What a transaction reads is never kept, because it may be
 * undone; in a transaction that changes these tables, read them without this.
 */
export const untilChanged = <A, E, R>(
  tables: ReadonlyArray<string>,
  sql: SqlClient.SqlClient,
  read: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  const sources = new Set(tables)
  let kept: { readonly result: A; readonly atMs: number; version: number } | null = null
  return Effect.withFiber<A, E, R>((fiber) => {
    const log = fiber.getRef(Changes)
    const nowMs = fiber.getRef(Clock.Clock).currentTimeMillisUnsafe()
    const { version } = log
    if (kept !== null && nowMs - kept.atMs < readKeptMs && !log.hasChanged([sources], kept.version)) {
      kept.version = version
      fiber.getRef(Sources)?.push(sources)
      return Effect.succeed(kept.result)
    }
    if (transactionOf(sql, fiber.context) !== undefined) return read
    return Effect.map(read, (result) => {
      kept = { result, atMs: nowMs, version }
      return result
    })
  })
}
