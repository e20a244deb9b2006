import { Context, Effect, Layer, Queue, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { purgeRows } from "../../rules/runtime/limits.ts"
import { JobState } from "../../../schema/operations/Job.ts"
import { afterCommitTogether } from "./afterCommit.ts"
import { at, ms, msText } from "./instants.ts"
import { type Page, pageOf, type Paging } from "./page.ts"
import { countChanged, onlyRow, row, rows, run, hasChanged } from "./rows.ts"

/** A background job. Instants in ms since 1970. */
export const JobRecord = Schema.Struct({
  id: Schema.String,
  kind: Schema.String,
  key: Schema.String,
  payload: Schema.Unknown,
  state: JobState,
  /** When it is due; for a running job, the end of its lease. */
  runAtMs: Schema.Finite,
  tries: Schema.Int,
  lastError: Schema.NullOr(Schema.String),
  /** The operator who cancelled it. */
  cancelledBy: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite,
  triedAtMs: Schema.NullOr(Schema.Finite)
})
export type JobRecord = typeof JobRecord.Type

export interface NewJob {
  readonly id: string
  readonly kind: string
  readonly key: string
  readonly payload: unknown
  readonly runAtMs: number
  readonly createdAtMs: number
}

const one = row(JobRecord)
const many = rows(JobRecord)
const ids = rows(Schema.Struct({ id: Schema.String, cancelled: Schema.Boolean }))
const countRow = onlyRow(
  Schema.Struct({
    waiting: Schema.Int,
    running: Schema.Int,
    failed: Schema.Int,
    cancelled: Schema.Int,
    lateSec: Schema.Int
  })
)
const instant = row(Schema.Struct({ atMs: Schema.NullOr(Schema.Finite) }))

/**
 * Queue of background jobs. The transaction that makes a job necessary adds it; a worker claims it, renews its lease and settles it. A worker that
 * lost its lease settles nothing.
 */
export class Jobs extends Context.Service<Jobs>()("longwave/engine/store/Jobs", {
  make: Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const calls = yield* Queue.sliding<void>(1)
    const columns = sql.literal(
      `j.id, j.kind, j.key, j.payload, j.state, j.tries, j.last_error, j.cancelled_by, ${msText("j.run_at")} AS run_at_ms, ${msText("j.created_at")} AS created_at_ms, ${msText("j.tried_at")} AS tried_at_ms`
    )
    const ring = Effect.asVoid(Queue.offer(calls, undefined))
    const afterCommit = afterCommitTogether(sql)
    const isHeld = (id: string, worker: string) => sql`id = ${id} AND worker = ${worker} AND state = 'running'`
    return {
      /** The next wake-up of this process's worker. */
      called: Queue.take(calls),
      ring,
      /**
       * Adds a job, in the caller's transaction if there is one. A waiting job takes the earlier time, a running one runs again afterwards, and a
       * failed or cancelled one starts anew.
       */
      add: ({ createdAtMs, id, key, kind, payload, runAtMs }: NewJob) =>
        Effect.andThen(
          run(sql`
        INSERT INTO jobs AS j (id, kind, key, payload, state, run_at, created_at)
        VALUES (${id}, ${kind}, ${key}, ${JSON.stringify(payload)}::text::jsonb, 'waiting', ${at(runAtMs)}, ${at(createdAtMs)})
        ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, cancelled_by = NULL,
          state = CASE WHEN j.state = 'running' THEN 'running' ELSE 'waiting' END,
          tries = CASE WHEN j.state IN ('failed', 'cancelled') THEN 0 ELSE j.tries END,
          created_at = CASE WHEN j.state IN ('failed', 'cancelled') THEN excluded.created_at ELSE j.created_at END,
          run_at = CASE j.state WHEN 'running' THEN j.run_at WHEN 'waiting' THEN least(j.run_at, excluded.run_at) ELSE excluded.run_at END,
          again_at = CASE WHEN j.state = 'running' THEN least(j.again_at, excluded.run_at) END`),
          afterCommit(ring)
        ),
      /** The same for a periodic job: an existing one keeps its time or takes an earlier one. */
      addPeriodic: ({ createdAtMs, id, key, kind, payload, runAtMs }: NewJob, latestMs: number) =>
        run(sql`
        INSERT INTO jobs AS j (id, kind, key, payload, state, run_at, created_at)
        VALUES (${id}, ${kind}, ${key}, ${JSON.stringify(payload)}::text::jsonb, 'waiting', ${at(runAtMs)}, ${at(createdAtMs)})
        ON CONFLICT (kind, key) DO UPDATE SET run_at = least(j.run_at, ${at(latestMs)}) WHERE j.state = 'waiting'`),
      /** Claims the job of these kinds that has been due longest, until `untilMs`, and counts an attempt. */
      claim: (kinds: ReadonlyArray<string>, worker: string, nowMs: number, untilMs: number) =>
        kinds.length === 0
          ? Effect.succeed(null)
          : one(sql`
        UPDATE jobs j SET state = 'running', worker = ${worker}, run_at = ${at(untilMs)}, tries = tries + 1, tried_at = ${at(nowMs)} WHERE id = (
          SELECT id FROM jobs WHERE state IN ('waiting', 'running') AND run_at <= ${at(nowMs)} AND kind IN ${sql.in(kinds)} ORDER BY run_at, id LIMIT 1 FOR UPDATE SKIP LOCKED
        ) RETURNING ${columns}`),
      /** When the next job of these kinds is due or its lease ends; null if there is none. */
      findNextDue: (kinds: ReadonlyArray<string>) =>
        kinds.length === 0
          ? Effect.succeed(null)
          : Effect.map(
              instant(
                sql`SELECT ${ms("min(run_at)")} AS at_ms FROM jobs WHERE state IN ('waiting', 'running') AND kind IN ${sql.in(kinds)}`
              ),
              (found) => found?.atMs ?? null
            ),
      /** Renews these leases; returns the jobs the worker still has, and whether an operator cancelled them. */
      renew: (held: ReadonlyArray<string>, worker: string, untilMs: number) =>
        ids(
          sql`UPDATE jobs SET run_at = ${at(untilMs)} WHERE id IN ${sql.in(held)} AND worker = ${worker} AND state = 'running' RETURNING id, cancelled_by IS NOT NULL AS cancelled`
        ),
      /** Deletes a finished job, or requeues it if it was added again meanwhile. */
      markDone: (id: string, worker: string) =>
        run(sql`
        WITH mine AS (SELECT id, again_at FROM jobs WHERE ${isHeld(id, worker)} FOR UPDATE), again AS (
          UPDATE jobs j SET state = 'waiting', worker = NULL, run_at = mine.again_at, again_at = NULL, tries = 0, last_error = NULL FROM mine WHERE j.id = mine.id AND mine.again_at IS NOT NULL)
        DELETE FROM jobs j USING mine WHERE j.id = mine.id AND mine.again_at IS NULL`),
      /** Requeues a job for this time, or earlier if it was added again meanwhile. `tries` is its new number of attempts. */
      requeue: (
        id: string,
        worker: string,
        next: { readonly runAtMs: number; readonly tries: number; readonly error: string | null }
      ) =>
        run(sql`
        UPDATE jobs SET state = 'waiting', worker = NULL, run_at = least(again_at, ${at(next.runAtMs)}), again_at = NULL, tries = ${next.tries}, last_error = ${next.error} WHERE ${isHeld(id, worker)}`),
      /** Ends a job as failed, or as cancelled by an operator. */
      end: (id: string, worker: string, state: "failed" | "cancelled", error: string | null) =>
        run(sql`
        UPDATE jobs SET state = ${state}, worker = NULL, again_at = NULL, last_error = coalesce(${error}::text, last_error) WHERE ${isHeld(id, worker)}`),
      find: (id: string) => one(sql`SELECT ${columns} FROM jobs j WHERE id = ${id}`),
      /** Makes a job due now with its attempts reset; false if it is running. */
      retry: (id: string, nowMs: number) =>
        Effect.tap(
          hasChanged(
            sql`UPDATE jobs SET state = 'waiting', run_at = ${at(nowMs)}, tries = 0, cancelled_by = NULL WHERE id = ${id} AND state <> 'running' RETURNING id`
          ),
          () => afterCommit(ring)
        ),
      /** Asks the current or next worker to cancel it; false if it has ended. */
      cancel: (id: string, by: string, nowMs: number) =>
        Effect.tap(
          hasChanged(sql`
        UPDATE jobs SET cancelled_by = ${by}, run_at = CASE WHEN state = 'running' THEN run_at ELSE ${at(nowMs)} END
        WHERE id = ${id} AND state IN ('waiting', 'running') RETURNING id`),
          () => afterCommit(ring)
        ),
      /** Newest first; null when the cursor is unknown. */
      list: Effect.fnUntraced(function* ({
        cursor,
        kind,
        limit,
        state
      }: Paging & {
        readonly state: JobState | null
        readonly kind: string | null
      }): Effect.fn.Return<Page<JobRecord> | null> {
        const after = cursor === null ? null : yield* one(sql`SELECT ${columns} FROM jobs j WHERE id = ${cursor}`)
        if (cursor !== null && after === null) return null
        const found = yield* many(sql`
          SELECT ${columns} FROM jobs j WHERE ${sql.and([
            state === null ? sql`true` : sql`state = ${state}`,
            kind === null ? sql`true` : sql`kind = ${kind}`,
            after === null
              ? sql`true`
              : sql`(created_at, id) < (SELECT created_at, id FROM jobs WHERE id = ${after.id})`
          ])} ORDER BY j.created_at DESC, j.id DESC LIMIT ${limit + 1}`)
        return pageOf(found, limit)
      }),
      /** Number of jobs by state, and the longest delay. */
      count: (nowMs: number) =>
        countRow(sql`
        SELECT count(*) FILTER (WHERE state = 'waiting')::int AS waiting, count(*) FILTER (WHERE state = 'running')::int AS running, count(*) FILTER (WHERE state = 'failed')::int AS failed, count(*) FILTER (WHERE state = 'cancelled')::int AS cancelled,
          greatest(0, coalesce(ceil(extract(epoch from ${at(nowMs)} - min(run_at) FILTER (WHERE state = 'waiting'))), 0))::int AS late_sec FROM jobs`),
      /** Deletes jobs that ended before this instant. */
      purge: (beforeMs: number) =>
        countChanged(
          sql`DELETE FROM jobs WHERE ctid = ANY(ARRAY(SELECT ctid FROM jobs WHERE state IN ('failed', 'cancelled') AND tried_at < ${at(beforeMs)} LIMIT ${purgeRows})) RETURNING 1`
        )
    }
  })
}) {
  static readonly layer = Layer.effect(this, this.make)
}
