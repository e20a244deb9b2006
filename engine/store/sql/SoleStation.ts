import { Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { soleStationLookSec, soleStationWaitSec } from "../../rules/runtime/limits.ts"
import { BadConfig, clusterOf, StationConfig } from "../../runtime/Config.ts"
import { awaitDatabase, sessionAt } from "./Database.ts"

/** Any number: the lock belongs to one database, and only stations take it. */
const lockId = 7_151_623

/** Whether this session holds the lock or could take it, with others that share it or alone. A session's lock ends with its connection. */
const take = (isShared: boolean) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const lock = sql.literal(isShared ? "pg_try_advisory_lock_shared" : "pg_try_advisory_lock")
    const [row] = yield* sql`
      SELECT CASE WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = ${lockId} AND granted)
        THEN true ELSE ${lock}(${lockId}) END AS is_sole`
    return row?.["isSole"] === true
  })

const refusal = (isShared: boolean) =>
  new BadConfig({
    problems: [
      isShared
        ? "DATABASE_URL is the database of a station that runs alone. Start that one again with CLUSTER_HOST and CLUSTER_SECRET, or give this one a database of its own."
        : "DATABASE_URL is the database of a station that runs: two would run every actor twice. Stop the other one, give this one a database of its own, or set CLUSTER_HOST and CLUSTER_SECRET for both, so that they share the work."
    ]
  })

/**
 * Holds the configured database for this station alone while the scope lasts, or for all processes of one that runs in several. A station that was killed a moment ago may still be connected, so
 * the start waits a little before it is refused. The lock is taken again after the database was away. The embedded database needs none: it
 * belongs to its `DATA_DIR`.
 */
export const SoleStation = Layer.effectDiscard(
  Effect.gen(function* () {
    const config = yield* StationConfig
    const { databaseUrl } = config
    const isShared = clusterOf(config) !== null
    if (databaseUrl === null) return
    const look = yield* awaitDatabase(
      "DATABASE_URL",
      Effect.gen(function* () {
        const look = Effect.provideContext(take(isShared), yield* Layer.build(sessionAt(Redacted.make(databaseUrl))))
        const isSole = yield* Effect.repeat(look, {
          until: (isSole) => isSole,
          schedule: Schedule.spaced(1_000),
          times: soleStationWaitSec
        })
        return isSole ? look : yield* refusal(isShared)
      })
    )
    yield* look.pipe(
      Effect.tap((isSole) =>
        isSole
          ? Effect.void
          : Effect.logError("alert: database: another station holds it. Stop one of the two: each actor runs twice.")
      ),
      Effect.ignore,
      Effect.repeat(Schedule.spaced(soleStationLookSec * 1_000)),
      Effect.forkScoped
    )
  })
)
