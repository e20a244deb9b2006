import { Effect, Layer, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { soleStationLookSec, soleStationWaitSec } from "../../rules/runtime/limits.ts"
import { BadConfig, StationConfig } from "../../runtime/Config.ts"
import { awaitDatabase, sessionAt } from "./Database.ts"

/** Any number: the lock belongs to one database, and only stations take it. */
const lockId = 7_151_623

/** Whether this session holds the lock or could take it. A session's lock ends with its connection. */
const take = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    SELECT CASE WHEN EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() AND objid = ${lockId} AND granted)
      THEN true ELSE pg_try_advisory_lock(${lockId}) END AS is_sole`
  return row?.["isSole"] === true
})

const refusal = new BadConfig({
  problems: [
    "DATABASE_URL is the database of a station that runs: two would run every actor twice. Stop the other one, or give this one a database of its own."
  ]
})

/**
 * Holds the configured database for this station alone while the scope lasts. A station that was killed a moment ago may still be connected, so
 * the start waits a little before it is refused. The lock is taken again after the database was away. The embedded database needs none: it
 * belongs to its `DATA_DIR`.
 */
export const SoleStation = Layer.effectDiscard(
  Effect.gen(function* () {
    const { databaseUrl } = yield* StationConfig
    if (databaseUrl === null) return
    const look = yield* awaitDatabase(
      "DATABASE_URL",
      Effect.gen(function* () {
        const look = Effect.provideContext(take, yield* Layer.build(sessionAt(Redacted.make(databaseUrl))))
        const isSole = yield* Effect.repeat(look, {
          until: (isSole) => isSole,
          schedule: Schedule.spaced(1_000),
          times: soleStationWaitSec
        })
        return isSole ? look : yield* refusal
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
