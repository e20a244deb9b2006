import { type PgClient, type PgConnection, PgPool } from "@effect/sql-pg"
import { type Array, Effect, Semaphore, Stream } from "effect"
import { type SqlConnection, SqlError } from "effect/sql"
import type { ConnectionWatch } from "./ConnectionWatch.ts"

type Rows = ReadonlyArray<Record<string, unknown>>
type Transform = Parameters<SqlConnection.Connection["execute"]>[2]

/** One connection that takes several statements in one write. */
export interface Pipelined {
  readonly pool: PgPool.PgPool
  /** Number of statements without an answer yet. */
  pending: number
}

/** Opens a connection, at its first use, for this number of callers at a time. */
export const openPipelined = Effect.fnUntraced(function* (
  config: PgClient.PgClientConfig,
  watch: ConnectionWatch,
  callersMax: number
) {
  const opened: Pipelined = {
    pool: yield* PgPool.make({
      ...config,
      stream: () => watch.open(() => opened.pending > 0),
      maxConnections: 1,
      multiplex: true,
      multiplexConcurrency: callersMax
    }),
    pending: 0
  }
  return opened
})

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
  readonly #opened: Pipelined
  /** Statements to send with the next one. */
  #waiting: Array<readonly [text: string, params: ReadonlyArray<unknown>]> = []
  /** The first change that failed after its caller had gone on. */
  #failed: SqlError.SqlError | null = null
  #isInTransaction = false
  #savepoints = 0

  constructor(connection: PgConnection.PgConnection, opened: Pipelined) {
    this.#connection = connection
    this.#opened = opened
  }

  #send<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      this.#opened.pending++
      return Effect.onExitPrimitive(statement, () => {
        this.#opened.pending--
        return undefined
      })
    })
  }

  /** Sends the waiting statements and this one in one write. */
  #ask<A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> {
    return Effect.suspend(() => {
      if (this.#waiting.length === 0 && this.#failed === null) return this.#send(statement)
      const waiting = this.#waiting
      this.#waiting = []
      const answered = Effect.flatMap(Effect.exit(this.#send(statement)), (exit) =>
        this.#failed === null ? exit : Effect.fail(this.#failed)
      )
      return Effect.andThen(
        // Each is queued before the next one starts, and answered before `statement`.
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
        this.#opened.pending++
        return Stream.ensuring(
          transform === undefined
            ? rows
            : Stream.mapArray(rows, (some) => transform(some) as Array.NonEmptyReadonlyArray<PgConnection.Row>),
          Effect.sync(() => void this.#opened.pending--)
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
  /** The last one released is taken first, so that idle ones close. */
  const free = yield* Effect.replicateEffect(openPipelined(config, watch, 1), connectionsMax)
  const permits = Semaphore.makeUnsafe(connectionsMax)
  const acquire: SqlConnection.Acquirer = Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(restore(permits.take(1)), () => {
      const opened = free.pop()!
      return Effect.andThen(
        Effect.addFinalizer(() => {
          free.push(opened)
          return permits.release(1)
        }),
        Effect.map(restore(opened.pool.get), (connection) => new OwnConnection(connection, opened))
      )
    })
  )
  return acquire
})

/** Commits the transaction of a connection from `openOwnConnections`. */
export const commitOwn = (connection: SqlConnection.Connection): Effect.Effect<void, SqlError.SqlError> =>
  (connection as OwnConnection).commit
