import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"

/** Whether the store answers. A frozen store answers only after its time limit, so the caller sets its own. */
export class StoreHealth extends Context.Service<StoreHealth>()("longwave/engine/store/StoreHealth", {
  make: Effect.map(SqlClient.SqlClient, (sql) => ({
    answers: sql`SELECT 1`.pipe(
      Effect.as(true),
      Effect.orElseSucceed(() => false)
    )
  }))
}) {
  static readonly layer = Layer.effect(this, this.make)
}

/** Reasons of errors that another attempt may not meet. */
const passing = new Set([
  "ConnectionError",
  "AuthenticationError",
  "StatementTimeoutError",
  "LockTimeoutError",
  "DeadlockError",
  "SerializationError"
])
/** Classes of SQLSTATE for a server without space or connections, one that shuts down or starts, and a fault of its machine. */
const ofServer = /^(?:53|57|58)/

/** Whether a statement failed for a reason that passes, such as a database that restarts, and not by what it asked for. */
export const isUnavailable = (error: unknown): boolean => {
  const { _tag, reason } = (error ?? {}) as {
    readonly _tag?: string
    readonly reason?: { readonly _tag: string; readonly cause?: { readonly code?: unknown } }
  }
  return (
    _tag === "SqlError" &&
    reason !== undefined &&
    (passing.has(reason._tag) || ofServer.test(String(reason.cause?.code ?? "")))
  )
}
