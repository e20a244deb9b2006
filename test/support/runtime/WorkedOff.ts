import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { type JobHandler } from "../../../actors/runtime/Jobs.ts"
import { workDue } from "../../../actors/runtime/JobWorker.ts"
import type { JobKind } from "../../../actors/runtime/protocol.ts"
import { ms } from "../../../engine/store/sql/instants.ts"

/** Runs all due jobs of these kinds, or waits for the station's worker that runs them. */
export const workOff = Effect.fnUntraced(function* <const Handlers extends ReadonlyArray<JobHandler<unknown>>>(
  handlers: Handlers
) {
  const sql = yield* SqlClient.SqlClient
  const isOpen = Effect.gen(function* () {
    const found = yield* sql<{ readonly state: string; readonly runAtMs: number }>`
      SELECT state, ${ms("run_at")} AS run_at_ms FROM jobs WHERE kind IN ${sql.in(handlers.map(({ name }) => name))}
        AND (state = 'waiting' OR state = 'running' AND worker <> 'wkr_killed')`
    // The clock is read afterwards: a job that the station's worker has just put back for now is due.
    const nowMs = yield* Clock.currentTimeMillis
    return found.some(({ runAtMs, state }) => state === "running" || runAtMs <= nowMs)
  })
  do yield* workDue(handlers)
  while (yield* isOpen)
})

/** Makes the waiting jobs of this key due now. */
export const makeDue = (key: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`UPDATE jobs SET run_at = now() - interval '1 hour', again_at = CASE WHEN again_at IS NOT NULL THEN now() - interval '1 hour' END WHERE key = ${key} AND state = 'waiting'`
  )

/** The state after a kill: the job is taken, neither done nor handed back, until its lease ends. */
export const leaveJobBehind = <Payload>(kind: JobKind<Payload>, key: string, payload: Payload) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`INSERT INTO jobs (id, kind, key, payload, state, worker, run_at, tries, created_at)
      VALUES (${`wrk_${key}`}, ${kind.name}, ${key}, ${JSON.stringify(payload)}::text::jsonb, 'running', 'wkr_killed', now() + interval '1 hour', 1, now())
      ON CONFLICT (kind, key) DO UPDATE SET state = 'running', worker = 'wkr_killed', run_at = excluded.run_at, tries = 1`
  )
export const endLease = (key: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`UPDATE jobs SET run_at = now() - interval '1 second' WHERE key = ${key} AND worker = 'wkr_killed'`
  )
