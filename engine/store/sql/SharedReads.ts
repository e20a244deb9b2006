import { PgClient } from "@effect/sql-pg"
import { Clock, Context, Effect } from "effect"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import { scheduler } from "node:timers/promises"
import {
  readsPerConnectionMax,
  readsTogether,
  sharedConnections,
  sharedReadMs,
  slowReadAloneMs,
  statementsKnownMax
} from "../../rules/runtime/limits.ts"
import { isOnlyOnce } from "./Changes.ts"
import { renameColumns } from "./columnNames.ts"
import type { ConnectionWatch } from "./ConnectionWatch.ts"
import { commitOwn, openOwnConnections, openPipelined, type Pipelined } from "./OwnConnections.ts"

/** What only makes sense on a connection of one's own: locks, and functions that change or concern the session. */
const needsOwn =
  /\bFOR\s+(?:UPDATE|SHARE|NO\s+KEY|KEY)\b|\b(?:INSERT|UPDATE|DELETE|MERGE|nextval|setval|set_config|pg_\w+)\b/i

/** How statements with the same text are sent. */
interface Known {
  readonly isRead: boolean
  /** Postgres need not keep its plan. */
  readonly isOnlyOnce: boolean
  /** It took too long on a shared connection, and is asked alone until then. */
  aloneUntilMs: number
}

/** How long a read may take on a shared connection. Another value is for tests on a machine that may be slow. */
export const SharedReadMs = Context.Reference<number>("longwave/store/SharedReadMs", {
  defaultValue: () => sharedReadMs
})

const isTimeout = ({ reason }: SqlError.SqlError): boolean => reason._tag === "StatementTimeoutError"

/**
 * The client of `pool`, whose reads outside of transactions share a few connections: the driver sends what several callers ask for in one
 * write, and gets the answers in one read. Under load that takes a tenth less CPU here and a third less in Postgres. A connection answers in
 * turn, so a read that takes longer than 250 ms is broken off, asked again on a connection of its own, and for ten minutes asked there at
 * once. Everything else has a connection of its own, as without this.
 */
export const shareReads = Effect.fnUntraced(function* (
  pool: PgClient.PgClient,
  config: PgClient.PgClientConfig,
  watch: ConnectionWatch,
  connectionsMax: number
) {
  const open = openPipelined(
    {
      ...config,
      startupParameters: {
        ...config.startupParameters,
        statement_timeout: `${yield* SharedReadMs}`,
        default_transaction_read_only: "on"
      }
    },
    watch,
    readsPerConnectionMax
  )
  const all = yield* Effect.replicateEffect(open, sharedConnections)
  /** The connection that gets the reads of this turn of the event loop. Those of requests that start together share a write and an answer. */
  let together: { readonly connection: Pipelined; count: number } | null = null
  const endTurn = () => {
    together = null
  }
  const choose = (): Pipelined => {
    if (together === null) void scheduler.yield().then(endTurn)
    if (together === null || together.count === readsTogether)
      together = { connection: all.reduce((one, other) => (other.pending < one.pending ? other : one)), count: 0 }
    together.count++
    return together.connection
  }

  const known = new Map<string, Known>()
  const knownOf = (text: string): Known => {
    let found = known.get(text)
    if (found === undefined) {
      found = {
        isRead: /^\s*(?:\(?SELECT|WITH)\b/i.test(text) && !needsOwn.test(text),
        isOnlyOnce: isOnlyOnce(text),
        aloneUntilMs: 0
      }
      if (found.isOnlyOnce) return found
      if (known.size >= statementsKnownMax) known.clear()
      known.set(text, found)
    }
    return found
  }

  const acquire = yield* openOwnConnections(config, watch, connectionsMax)
  const alone = <A>(use: (own: SqlConnection.Connection) => Effect.Effect<A, SqlError.SqlError>) =>
    Effect.scoped(Effect.flatMap(acquire, use))

  const execute: SqlConnection.Connection["execute"] = (text, params, transform) => {
    const about = knownOf(text)
    const own = () =>
      alone((connection) =>
        about.isOnlyOnce
          ? connection.executeUnprepared(text, params, transform)
          : connection.execute(text, params, transform)
      )
    if (!about.isRead || about.isOnlyOnce) return own()
    const share = Effect.suspend(() => {
      const chosen = choose()
      chosen.pending++
      return Effect.onExit(
        chosen.pool.use((connection) => connection.query(text, params)),
        () => {
          chosen.pending--
          return Effect.void
        }
      )
    }).pipe(
      Effect.map(({ rows }) => (transform === undefined ? rows : transform(rows))),
      Effect.catchIf(isTimeout, () =>
        Effect.flatMap(Clock.currentTimeMillis, (nowMs) => {
          about.aloneUntilMs = nowMs + slowReadAloneMs
          return own()
        })
      )
    )
    return about.aloneUntilMs === 0
      ? share
      : Effect.flatMap(Clock.currentTimeMillis, (nowMs) => (nowMs < about.aloneUntilMs ? own() : share))
  }
  const routed: SqlConnection.Connection = {
    execute,
    executeRaw: (text, params) => alone((connection) => connection.executeRaw(text, params)),
    executeStream: () => {
      throw new Error("a stream has a connection of its own")
    },
    executeValues: (text, params) => alone((connection) => connection.executeValues(text, params)),
    executeValuesUnprepared: (text, params) => alone((connection) => connection.executeValuesUnprepared(text, params)),
    executeUnprepared: (text, params, transform) =>
      alone((connection) => connection.executeUnprepared(text, params, transform))
  }
  const { transformJson, transformQueryNames } = config
  const client = yield* SqlClient.make({
    compiler: PgClient.makeCompiler(transformQueryNames, transformJson),
    transformRows: renameColumns,
    acquirer: acquire,
    borrower: (use) => use(routed),
    driver: pool.driver,
    spanAttributes: [],
    prepareTransactionControls: true,
    commit: commitOwn,
    releaseSavepoint: (name) => `RELEASE SAVEPOINT ${name}`
  })
  const { config: given, json, listen, notify } = pool
  return Object.assign(client, { config: given, json, listen, notify, [PgClient.TypeId]: PgClient.TypeId })
})
