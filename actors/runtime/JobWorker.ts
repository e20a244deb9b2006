import { Cause, Clock, Effect, Exit, FiberMap, Layer, Metric, Random, Stream } from "effect"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { jobErrorCharsMax, jobHeartbeatMs, jobLeaseMs, jobTickMs } from "../../engine/rules/runtime/limits.ts"
import { type JobRecord, Jobs } from "../../engine/store/sql/Jobs.ts"
import { EventBus } from "./EventBus.ts"
import { type JobHandler, Later } from "./Jobs.ts"
import { logFailure, superviseForEver } from "./Supervision.ts"

const worked = Metric.counter("jobs_worked_total", {
  description: "attempts at background jobs, by kind and outcome"
})

const describeFault = (cause: Cause.Cause<unknown>): string => {
  const [fault] = Cause.prettyErrors(cause)
  return (fault?.message ?? Cause.pretty(cause)).slice(0, jobErrorCharsMax)
}

type Needs<Handler> = Handler extends JobHandler<infer R> ? R : never

/**
 * The worker of one process for all kinds of jobs. It claims due jobs within each kind's limit, renews their leases while it works, and
 * settles them. Jobs of a dead process become due when their leases expire; an orderly stop returns them at once.
 */
const makeWorker = <Handlers extends ReadonlyArray<JobHandler<unknown>>>(all: Handlers) =>
  Effect.gen(function* () {
    const handlers = all as ReadonlyArray<JobHandler<unknown>> as ReadonlyArray<JobHandler<Needs<Handlers[number]>>>
    const jobs = yield* Jobs
    const bus = yield* EventBus
    const ids = yield* IdSource
    const worker = yield* ids.make("wkr")
    const handlerOf = new Map(handlers.map((handler) => [handler.name, handler]))
    const busy = new Map<string, number>()
    const free = () => handlers.filter(({ atOnce, name }) => (busy.get(name) ?? 0) < atOnce).map(({ name }) => name)
    const count = (name: string, by: number) => Effect.sync(() => void busy.set(name, (busy.get(name) ?? 0) + by))

    /** Tells operators of a failed try. */
    const announce = ({ id, key, kind, tries }: JobRecord, error: string, givenUp: boolean) =>
      bus.publish({ _tag: "JobFailed", id, kind, about: key, tries, error, givenUp })

    const settle = Effect.fnUntraced(function* (
      handler: (typeof handlers)[number],
      job: JobRecord,
      exit: Exit.Exit<Later | void, unknown>
    ) {
      const nowMs = yield* Clock.currentTimeMillis
      if (Exit.isSuccess(exit)) {
        if (exit.value instanceof Later)
          yield* jobs.requeue(job.id, worker, { runAtMs: exit.value.runAtMs, tries: 0, error: exit.value.reason })
        else if (handler.next !== null)
          yield* jobs.requeue(job.id, worker, { runAtMs: handler.next(nowMs), tries: 0, error: null })
        else yield* jobs.markDone(job.id, worker)
        return exit.value instanceof Later ? "later" : "done"
      }
      const error = describeFault(exit.cause)
      const rest = handler.restMs(job.tries)
      const runAtMs = nowMs + Math.round(rest * (0.9 + 0.2 * (yield* Random.next)))
      yield* Effect.logWarning(`jobs: ${job.kind} ${job.key} failed, try ${job.tries}`, exit.cause)
      yield* jobs.requeue(job.id, worker, {
        runAtMs: handler.next === null ? runAtMs : Math.min(runAtMs, handler.next(nowMs)),
        tries: job.tries,
        error
      })
      yield* announce(job, error, false)
      return "failed"
    })

    /** Ends a job for good: too many failures, or cancelled by an operator. */
    const end = Effect.fnUntraced(function* (handler: (typeof handlers)[number], job: JobRecord, why: string) {
      yield* handler.giveUp(job.payload, why)
      yield* jobs.end(job.id, worker, job.cancelledBy === null ? "failed" : "cancelled", why)
      if (job.cancelledBy === null) yield* announce(job, why, true)
      return job.cancelledBy === null ? "given up" : "cancelled"
    })

    const work = (job: JobRecord) =>
      Effect.gen(function* () {
        const handler = handlerOf.get(job.kind)!
        const { triesMax } = handler
        const isTired = triesMax !== null && job.tries > triesMax
        const outcome = yield* job.cancelledBy !== null || isTired
          ? end(handler, job, job.cancelledBy ?? job.lastError ?? "The process ended during every try.")
          : Effect.gen(function* () {
              const exit = yield* Effect.exit(handler.work(job.payload, { key: job.key, tries: job.tries }))
              if (Exit.isFailure(exit) && triesMax !== null && job.tries >= triesMax) {
                yield* Effect.logWarning(
                  `jobs: ${job.kind} ${job.key} is given up after ${job.tries} tries`,
                  exit.cause
                )
                return yield* end(handler, job, describeFault(exit.cause))
              }
              return yield* settle(handler, job, exit)
            })
        yield* Metric.update(Metric.withAttributes(worked, { kind: job.kind, outcome }), 1)
      }).pipe(
        // On an orderly stop or a cancellation the job is due at once, without waiting for its lease.
        Effect.onInterrupt(() =>
          Effect.ignoreCause(
            Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
              jobs.requeue(job.id, worker, { runAtMs: nowMs, tries: job.tries - 1, error: job.lastError })
            )
          )
        )
      )

    /** Claims the next due job. Null when none is due. */
    const claim = Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
      jobs.claim(free(), worker, nowMs, nowMs + jobLeaseMs)
    )

    /** Adds the first run of every periodic job. */
    const plan = Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      for (const { name, next } of handlers)
        if (next !== null)
          yield* jobs.addPeriodic(
            { id: yield* ids.make("wrk"), kind: name, key: "", payload: null, runAtMs: nowMs, createdAtMs: nowMs },
            next(nowMs)
          )
    })
    return { jobs, worker, busy, free, count, work, claim, plan }
  })

/** Runs the worker until the scope closes. */
export const jobWorker = <const Handlers extends ReadonlyArray<JobHandler<unknown>>>(handlers: Handlers) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { events } = yield* EventBus
      const { claim, count, free, jobs, plan, work, worker } = yield* makeWorker(handlers)
      const running = yield* FiberMap.make<string>()

      const rounds = Effect.gen(function* () {
        yield* plan
        for (;;) {
          const job = yield* claim
          if (job !== null) {
            yield* count(job.kind, 1)
            yield* FiberMap.run(
              running,
              job.id,
              // A job that can't be settled is claimed again when its lease expires.
              logFailure(`jobs: ${job.kind} ${job.key} could not be settled`, work(job)).pipe(
                Effect.ensuring(Effect.andThen(count(job.kind, -1), jobs.ring))
              )
            )
            continue
          }
          const nextMs = yield* jobs.findNextDue(free())
          const restMs = nextMs === null ? jobTickMs : nextMs - (yield* Clock.currentTimeMillis)
          yield* Effect.raceFirst(jobs.called, Effect.sleep(Math.min(jobTickMs, Math.max(restMs, 1))))
        }
      })
      /** Renews the leases of running jobs. Interrupts jobs that another worker now owns or an operator cancelled. */
      const heartbeat = Effect.gen(function* () {
        const held = [...running].map(([id]) => id)
        if (held.length === 0) return
        const kept = yield* jobs.renew(held, worker, (yield* Clock.currentTimeMillis) + jobLeaseMs)
        for (const id of held)
          if (kept.find((one) => one.id === id)?.cancelled ?? true) yield* FiberMap.remove(running, id)
      })
      // A process that stopped has given its jobs back.
      yield* Effect.forkScoped(
        Stream.runForEach(events, ({ event }) => (event._tag === "ProcessLeft" ? jobs.ring : Effect.void))
      )
      // A store outage is not a fault of the worker: log it and try again.
      const untilStopped = Effect.forever(
        Effect.andThen(logFailure("jobs: nothing could be taken up", rounds), Effect.sleep(jobTickMs))
      )
      yield* Effect.forkScoped(superviseForEver("Jobs", jobTickMs, untilStopped))
      yield* Effect.forkScoped(
        Effect.forever(
          Effect.andThen(Effect.sleep(jobHeartbeatMs), logFailure("jobs: a heartbeat was left out", heartbeat))
        )
      )
    })
  )

/** Runs all due jobs in sequence until none is left, and answers their number. For one-shot programs and tests. */
export const workDue = Effect.fnUntraced(function* <const Handlers extends ReadonlyArray<JobHandler<unknown>>>(
  handlers: Handlers
) {
  const { claim, work } = yield* makeWorker(handlers)
  let done = 0
  for (;;) {
    const job = yield* claim
    if (job === null) return done
    yield* work(job)
    done++
  }
})
