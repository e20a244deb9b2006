import { type PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { type Array, Effect, Semaphore, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import type { ConnectionWatch } from "./ConnectionWatch.ts"

type Rows = ReadonlyArray<Record<string, unknown>>
type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

interface Slot {
  readonly pool: PgPool.PgPool
  /** Statements without an answer yet. */
  pending: number
}

/** A change that answers no rows, or several that `gatherStatements` has joined. */
const answersNothing = (text: string): boolean =>
  (/^\s*(?:INSERT|UPDATE|DELETE)\b/i.test(text) || text.endsWith(" SELECT")) && !/\bRETURNING\b/i.test(text)

/**
 * A connection that one caller has for itself. In a transaction, BEGIN and changes that answer no rows are not sent alone: they go together with the
 * next statement, or with COMMIT, in one write and for one wait. A change that fails is therefore reported by the next statement or by COMMIT. In a
 * savepoint each statement is sent at once, because its failure can be handled there.
 */
class OwnConnection implements SqlConnection.Connection {
  readonly #connection: PgConnection.PgConnection
  readonly #slot: Slot
  /** What goes together with the next statement. */
  #waiting: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
  /** The first change that failed after its caller had gone on. */
  #failed: SqlError.SqlError | null = null
  #isInTransaction = false
  #savepoints = 0

  constructor(connection: PgConnection.PgConnection, slot: Slot) {
    this.#connection = connection
    this.#slot = slot
  }

  #send<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      this.#slot.pending++
      return Effect.onExitPrimitive(statement, () => {
        this.#slot.pending--
        return undefined
      })
    })
  }

  /** Sends what waits, and the statement after it, in one write. */
  #ask<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.#waiting.length === 0 && this.#failed === null) return this.#send(statement)
      const waiting = this.#waiting
      this.#waiting = []
      const answered = Effect.flatMap(Effect.exit(this.#send(statement)), (exit) =>
        this.#failed === null ? exit : Effect.fail(this.#failed)
      )
      return Effect.andThen(
        // Each is in the line before the next begins. Its answer comes before that of the statement.
        Effect.forEach(
          waiting,
          ([text, params]) =>
            Effect.forkDetach(
              Effect.catch(this.#send(this.#connection.query(text, params)), (error) => {
                this.#failed ??= error
                return Effect.void
              }),
              { startImmediately: true }
            ),
          { discard: true }
        ),
        // A change that can't be encoded was never sent, and COMMIT would not notice.
        Effect.suspend(() => (this.#failed === null ? answered : Effect.fail(this.#failed)))
      )
    })
  }

  #rows(text: string, params: ReadonlyArray<unknown>, transform: Transform, prepare: boolean) {
    const rows = Effect.map(this.#ask(this.#connection.query(text, params, prepare)), (result) => result.rows as Rows)
    return transform === undefined ? rows : Effect.map(rows, transform)
  }

  execute(text: string, params: ReadonlyArray<unknown>, transform: Transform): Effect.Effect<Rows, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (text === "BEGIN") {
        this.#isInTransaction = true
        this.#waiting.push([text, params])
        return Effect.succeed([])
      }
      if (!this.#isInTransaction) return this.#rows(text, params, transform, true)
      if (text === "ROLLBACK") return this.#rollback
      if (this.#savepoints === 0 && answersNothing(text)) {
        this.#waiting.push([text, params])
        return Effect.succeed([])
      }
      if (text.startsWith("SAVEPOINT ")) this.#savepoints++
      if (text.startsWith("RELEASE SAVEPOINT ")) this.#savepoints--
      return this.#rows(text, params, transform, true)
    })
  }

  readonly #rollback = Effect.suspend(() => {
    const isSent = this.#waiting[0]?.[0] !== "BEGIN"
    this.#waiting = []
    this.#failed = null
    return isSent ? Effect.as(this.#send(this.#connection.query("ROLLBACK", [])), []) : Effect.succeed([])
  })

  /** A transaction without statements costs nothing. */
  readonly commit: Effect.Effect<void, SqlError.SqlError> = Effect.suspend(() => {
    if (this.#waiting.length === 1 && this.#waiting[0]![0] === "BEGIN") return Effect.void
    return Effect.flatMap(this.#ask(this.#connection.query("COMMIT", [])), ({ command }) =>
      // Postgres answers ROLLBACK to the COMMIT of a transaction in which a statement failed.
      command === "ROLLBACK"
        ? Effect.fail(
            new SqlError.SqlError({
              reason: new SqlError.UnknownError({
                cause: new Error("a statement of the transaction failed"),
                message: "the transaction was rolled back",
                operation: "commit"
              })
            })
          )
        : Effect.void
    )
  })

  executeUnprepared(text: string, params: ReadonlyArray<unknown>, transform: Transform) {
    return this.#rows(text, params, transform, false)
  }
  executeRaw(text: string, params: ReadonlyArray<unknown>) {
    return this.#ask(this.#connection.query(text, params))
  }
  executeValues(text: string, params: ReadonlyArray<unknown>) {
    return this.#ask(this.#connection.queryValues(text, params))
  }
  executeValuesUnprepared(text: string, params: ReadonlyArray<unknown>) {
    return this.#ask(this.#connection.queryValues(text, params, false))
  }
  executeStream(text: string, params: ReadonlyArray<unknown>, transform: Transform) {
    const rows = this.#connection.stream(text, params)
    return Stream.unwrap(
      Effect.map(this.#ask(Effect.void), () => {
        this.#slot.pending++
        return Stream.ensuring(
          transform === undefined
            ? rows
            : Stream.mapArray(rows, (some) => transform(some) as Array.NonEmptyReadonlyArray<PgConnection.Row>),
          Effect.sync(() => void this.#slot.pending--)
        )
      })
    )
  }
}

/**
 * Connections that serve one caller at a time: for transactions, and for statements that need a connection of their own. Callers beyond the
 * maximum wait.
 */
export const openOwnConnections = Effect.fnUntraced(function* (
  config: PgClient.PgClientConfig,
  watch: ConnectionWatch,
  connectionsMax: number
) {
  const open = Effect.gen(function* () {
    const slot: Slot = {
      pool: yield* PgPool.make({
        ...config,
        stream: () => watch.open(() => slot.pending > 0),
        maxConnections: 1,
        // So that several statements may go in one write. One caller has the connection.
        multiplex: true,
        multiplexConcurrency: 1
      }),
      pending: 0
    }
    return slot
  })
  /** The last one used is the first to be used again, so that the others can be closed. */
  const free = yield* Effect.replicateEffect(open, connectionsMax)
  const permits = Semaphore.makeUnsafe(connectionsMax)
  const acquire: SqlConnection.Acquirer = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(permits.take(1)), () => {
      const slot = free.pop()!
      return Effect.andThen(
        Effect.addFinalizer(() => {
          free.push(slot)
          return permits.release(1)
        }),
        Effect.map(restore(slot.pool.get), (connection) => new OwnConnection(connection, slot))
      )
    })
  )
  return acquire
})

/** Commits the transaction of a connection from `openOwnConnections`. */
export const commitOwn = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  (connection as OwnConnection).commit
