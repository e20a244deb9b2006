import { Cause, Clock, Data, Effect, Schema } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { jobErrorCharsMax, purgeRows } from "../../engine/rules/runtime/limits.ts"
import { Jobs } from "../../engine/store/sql/Jobs.ts"
import { EventBus } from "./EventBus.ts"
import type { JobKind } from "./protocol.ts"

/**
 * Adds a job, in the caller's transaction if there is one, so that the job is stored with the change that needs it. `key` names its
 * subject: adding the same kind and key again adds no second job. Jobs run at least once.
 */
export const addJob = Effect.fnUntraced(function* <Payload>(
  kind: JobKind<Payload>,
  { key, payload, runAtMs }: { readonly key: string; readonly payload: Payload; readonly runAtMs?: number }
) {
  const nowMs = yield* Clock.currentTimeMillis
  yield* (yield* Jobs).add({
    id: yield* (yield* IdSource).make("wrk"),
    kind: kind.name,
    key,
    payload: yield* Effect.orDie(Schema.encodeEffect(kind.payload)(payload)),
    runAtMs: runAtMs ?? nowMs,
    createdAtMs: nowMs
  })
})

/** A handler's result that reschedules the job. */
export class Later extends Data.Class<{
  readonly runAtMs: number
  /** Shown to operators. Null when nothing is wrong. */
  readonly reason: string | null
}> {}

/** Reschedules the job after `afterMs`. Not counted as a try. */
export const rescheduleAfter = (afterMs: number, reason: string | null = null) =>
  Effect.map(Clock.currentTimeMillis, (nowMs) => new Later({ runAtMs: nowMs + afterMs, reason }))

/** One attempt at a job. */
export interface Attempt {
  readonly key: string
  /** Includes this attempt. */
  readonly tries: number
}

/** Handler of one kind of job. */
export interface JobHandler<out R> {
  readonly name: string
  /** Largest number of jobs of this kind that one process runs at once. */
  readonly atOnce: number
  /** Number of failures after which the job is given up. Null: never. */
  readonly triesMax: number | null
  /** Pause after the n-th failure, in ms. */
  readonly restMs: (tries: number) => number
  /** Next time of a periodic job; null for a job added by `addJob`. */
  readonly next: ((nowMs: number) => number) | null
  readonly work: (payload: unknown, attempt: Attempt) => Effect.Effect<Later | void, unknown, R>
  /** Called when the job is given up or cancelled by an operator, so that the subject can record it. */
  readonly giveUp: (payload: unknown, why: string) => Effect.Effect<void, unknown, R>
}

/** Pause in ms that doubles from `firstMs` up to `mostMs`. */
export const backOff =
  (firstMs: number, mostMs: number) =>
  (tries: number): number =>
    Math.min(mostMs, firstMs * 2 ** Math.min(tries - 1, 30))

/** Declares the handler of a job kind. It must be idempotent: a process may die after the work and before its settlement. */
export const jobHandler = <Payload, E1, R1, E2 = never, R2 = never>(
  kind: JobKind<Payload>,
  {
    atOnce = 1,
    giveUp,
    restMs,
    triesMax = null,
    work
  }: {
    readonly atOnce?: number
    readonly triesMax?: number | null
    readonly restMs: (tries: number) => number
    readonly work: (payload: Payload, attempt: Attempt) => Effect.Effect<Later | void, E1, R1>
    readonly giveUp?: (payload: Payload, why: string) => Effect.Effect<void, E2, R2>
  }
): JobHandler<R1 | R2> => {
  const decode = Schema.decodeUnknownEffect(kind.payload)
  return {
    name: kind.name,
    atOnce,
    triesMax,
    restMs,
    next: null,
    work: (payload, attempt) => Effect.flatMap(Effect.orDie(decode(payload)), (known) => work(known, attempt)),
    giveUp: (payload, why) =>
      giveUp === undefined ? Effect.void : Effect.flatMap(Effect.orDie(decode(payload)), (known) => giveUp(known, why))
  }
}

/**
 * Declares the handler of a deadline, which was stored with what has to end. `close` ends it if the time has come and answers null; otherwise
 * it answers the time. A repeat changes nothing.
 */
export const deadlineJob = <Payload, E, R>(
  kind: JobKind<Payload>,
  {
    close,
    ...pace
  }: {
    readonly atOnce: number
    readonly restMs: (tries: number) => number
    readonly close: (payload: Payload) => Effect.Effect<number | null, E, R>
  }
) =>
  jobHandler(kind, {
    ...pace,
    work: (payload) =>
      Effect.map(close(payload), (dueAtMs) =>
        dueAtMs === null ? undefined : new Later({ runAtMs: dueAtMs, reason: null })
      )
  })

/**
 * Declares a periodic job, run by one process at a time. The first start runs it at once; a failure is retried before the next regular
 * time.
 */
export const periodicJob = <E, R>(
  name: string,
  { next, work }: { readonly next: (nowMs: number) => number; readonly work: Effect.Effect<unknown, E, R> }
): JobHandler<R> => ({
  name,
  atOnce: 1,
  triesMax: null,
  restMs: backOff(1_000, 60_000),
  next,
  work: () => Effect.asVoid(work),
  giveUp: () => Effect.void
})

/**
 * Repeats a batch until it finds less than `size`, and rests after each as long as it took: however much is due, callers
 * have the store for half of the time.
 */
export const repeatBatch = <E, R>(size: number, batch: Effect.Effect<number, E, R>): Effect.Effect<void, E, R> =>
  Effect.timed(batch).pipe(
    Effect.flatMap(([took, found]) => (found < size ? Effect.succeed(false) : Effect.as(Effect.sleep(took), true))),
    Effect.repeat({ while: (isLeft) => isLeft }),
    Effect.asVoid
  )

/**
 * Declares a periodic job that deletes what is past its retention. `batch` deletes at most `purgeRows` rows in one statement and returns how many; it is
 * repeated while more may be due. Each purge is a job of its own, so that one that fails holds up no other; operators are alerted of its first failure.
 */
export const purgeJob = <E, R>(
  name: string,
  {
    batch,
    next
  }: { readonly next: (nowMs: number) => number; readonly batch: (nowMs: number) => Effect.Effect<number, E, R> }
): JobHandler<R | EventBus> => ({
  ...periodicJob(name, { next, work: Effect.void }),
  work: (_, { tries }) =>
    Effect.flatMap(Clock.currentTimeMillis, (nowMs) => repeatBatch(purgeRows, batch(nowMs))).pipe(
      Effect.tapCause((cause) =>
        tries > 1 || Cause.hasInterruptsOnly(cause)
          ? Effect.void
          : Effect.flatMap(EventBus, (bus) =>
              bus.publish({
                _tag: "OpsAlerted",
                what: "purge_failed",
                detail: `${name} failed and is tried again: ${(Cause.prettyErrors(cause)[0]?.message ?? "").slice(0, jobErrorCharsMax)}`
              })
            )
      )
    )
})

/** For `next`: `ms` after the end of the last run. */
export const repeatEvery = (ms: number) => (nowMs: number) => nowMs + ms
