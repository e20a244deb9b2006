import { layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Exit, Fiber, Layer, Queue, Ref, Schema, Scope } from "effect"
import { TestClock } from "effect/testing"
import { expect } from "vitest"
import {
  addJob,
  repeatBatch,
  repeatEvery,
  type JobHandler,
  jobHandler,
  rescheduleAfter,
  periodicJob,
  purgeJob
} from "../../../actors/runtime/Jobs.ts"
import { jobWorker, workDue } from "../../../actors/runtime/JobWorker.ts"
import { jobKind } from "../../../actors/runtime/protocol.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ActorTree } from "../../../actors/runtime/Supervision.ts"
import { IdSource } from "../../../engine/runtime/IdSource.ts"
import { jobHeartbeatMs, jobLeaseMs, jobTickMs, purgeRows } from "../../../engine/rules/runtime/limits.ts"
import { Jobs } from "../../../engine/store/sql/Jobs.ts"
import { Transaction } from "../../../engine/store/sql/Transaction.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

const World = Layer.mergeAll(EventBus.layer, Jobs.layer, Transaction.layer, IdSource.layer, ActorTree.layer).pipe(
  Layer.provideMerge(TestPostgres)
)
const Payload = Schema.Struct({ n: Schema.Int })
let kinds = 0
/** Each test has its own kind, because all tests share a table. */
const aKind = () => jobKind(`test.kind_${++kinds}`, Payload)
const restMs = () => 1_000
const listed = (kind: { readonly name: string }) =>
  Effect.flatMap(Jobs, (jobs) =>
    Effect.map(jobs.list({ state: null, kind: kind.name, limit: 10, cursor: null }), (page) =>
      page!.records.map(({ key, lastError, state, tries }) => ({ key, state, tries, lastError }))
    )
  )
/** How many statements of workers the database hasn't answered yet. */
let asking = 0
const whileAsking = <A, E, R>(statement: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => void asking++),
    () => statement,
    () => Effect.sync(() => void asking--)
  )
/** A process that runs jobs until it is closed. */
const process_ = (handlers: ReadonlyArray<JobHandler<never>>) =>
  Effect.gen(function* () {
    const scope = yield* Scope.make()
    const jobs = yield* Jobs
    const counted = Jobs.of({
      ...jobs,
      addPeriodic: (...asked) => whileAsking(jobs.addPeriodic(...asked)),
      claim: (...asked) => whileAsking(jobs.claim(...asked)),
      findNextDue: (...asked) => whileAsking(jobs.findNextDue(...asked)),
      renew: (...asked) => whileAsking(jobs.renew(...asked)),
      requeue: (...asked) => whileAsking(jobs.requeue(...asked)),
      markDone: (...asked) => whileAsking(jobs.markDone(...asked)),
      end: (...asked) => whileAsking(jobs.end(...asked))
    })
    yield* Layer.buildWithScope(Layer.fresh(jobWorker(handlers)), scope).pipe(Effect.provideService(Jobs, counted))
    return { stop: Scope.close(scope, Exit.void) }
  })

/** Polls the database, in real time, because queries take real time during which the test clock must stand still. */
const until = Effect.fnUntraced(function* <A, R>(ask: Effect.Effect<A, never, R>, so: (answer: A) => boolean) {
  for (;;) {
    const answer = yield* ask
    if (so(answer)) return answer
  }
})
const records = (kind: { readonly name: string }) =>
  Effect.flatMap(Jobs, (jobs) =>
    Effect.map(jobs.list({ state: null, kind: kind.name, limit: 10, cursor: null }), (page) => page!.records)
  )
/**
 * Advances the test clock by a step as short as a worker's pause, unless a worker waits for the database: a lease that is being taken or renewed
 * would run out meanwhile, and a worker that doesn't sleep yet isn't woken. The query afterwards lets real time pass.
 */
const step = Effect.gen(function* () {
  if (asking === 0) yield* TestClock.adjust(jobTickMs / 4)
  yield* records({ name: "none" })
})
/** Advances the test clock until something comes. */
const comes = Effect.fnUntraced(function* <A>(queue: Queue.Queue<A>) {
  while ((yield* Queue.size(queue)) === 0) yield* step
  return yield* Queue.take(queue)
})
const resting = (kind: { readonly name: string }) =>
  until(records(kind), (all) => all.every(({ state }) => state !== "running"))

layer(World)("background work", (it) => {
  it.effect("purges in batches, each kind separately, and alerts operators once of a failing one", () =>
    Effect.gen(function* () {
      const name = `test.purge_${++kinds}`
      const left = { fine: 2 * purgeRows + 5 }
      const batches: Array<number> = []
      let faults = 3
      const purges = [
        purgeJob(`${name}_broken`, {
          next: repeatEvery(3_600_000),
          batch: () => Effect.suspend(() => (faults-- > 0 ? Effect.die(new Error("no such table")) : Effect.succeed(0)))
        }),
        purgeJob(`${name}_fine`, {
          next: repeatEvery(3_600_000),
          batch: () =>
            Effect.sync(() => {
              const deleted = Math.min(left.fine, purgeRows)
              left.fine -= deleted
              batches.push(deleted)
              return deleted
            })
        })
      ]
      const bus = yield* EventBus
      const alerts: Array<string> = []
      const settled = yield* Queue.unbounded<string>()
      const heard = {
        ...bus,
        publish: ((event) => {
          if (event._tag === "OpsAlerted") alerts.push(`${event.what}: ${event.detail}`)
          return bus.publish(event)
        }) as typeof bus.publish
      }
      const process = yield* process_(
        purges.map((purge) => ({
          ...purge,
          giveUp: () => Effect.void,
          work: (payload: unknown, attempt: { readonly key: string; readonly tries: number }) =>
            purge
              .work(payload, attempt)
              .pipe(
                Effect.provideService(EventBus, heard),
                Effect.ensuring(Queue.offer(settled, `${purge.name} ${attempt.tries}`))
              )
        }))
      )
      const seen: Array<string> = []
      while (!seen.includes(`${name}_broken 4`)) seen.push(yield* comes(settled))
      expect(seen.toSorted()).toEqual([...[1, 2, 3, 4].map((tries) => `${name}_broken ${tries}`), `${name}_fine 1`])
      expect(batches).toEqual([purgeRows, purgeRows, 5])
      expect(alerts).toEqual([`purge_failed: ${name}_broken failed and is tried again: no such table`])
      yield* process.stop
    })
  )

  it.effect("leaves the store to others after each batch for as long as it took", () =>
    Effect.gen(function* () {
      const left = [2, 2, 1]
      const begun: Array<number> = []
      const fiber = yield* Effect.forkChild(
        repeatBatch(
          2,
          Effect.gen(function* () {
            begun.push(yield* Clock.currentTimeMillis)
            yield* Effect.sleep(30)
            return left.shift()!
          })
        )
      )
      yield* TestClock.adjust(1_000)
      yield* Fiber.join(fiber)
      expect(begun.map((atMs) => atMs - begun[0]!)).toEqual([0, 60, 120])
    })
  )

  it.effect("runs once, if and only if the transaction that added it commits", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const done: Array<number> = []
      const handler = jobHandler(kind, { restMs, work: ({ n }) => Effect.sync(() => void done.push(n)) })
      const { run } = yield* Transaction
      yield* Effect.exit(run(Effect.andThen(addJob(kind, { key: "a", payload: { n: 1 } }), Effect.fail("no"))))
      yield* run(addJob(kind, { key: "b", payload: { n: 2 } }))
      yield* addJob(kind, { key: "b", payload: { n: 3 } })
      expect(yield* workDue([handler])).toBe(1)
      expect([done, yield* listed(kind)]).toEqual([[3], []])
    })
  )

  it.effect("starts at once or at its time, and runs once more if requested again meanwhile", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const begun = yield* Queue.unbounded<number>()
      const go = yield* Queue.unbounded<void>()
      const handler = jobHandler(kind, {
        restMs,
        work: ({ n }) => Effect.andThen(Queue.offer(begun, n), Queue.take(go))
      })
      const { stop } = yield* process_([handler])
      yield* addJob(kind, { key: "a", payload: { n: 1 } })
      expect(yield* Queue.take(begun)).toBe(1)
      yield* addJob(kind, { key: "a", payload: { n: 2 } })
      yield* Queue.offer(go, undefined)
      expect(yield* Queue.take(begun)).toBe(2)
      yield* Queue.offer(go, undefined)
      const nowMs = yield* Clock.currentTimeMillis
      yield* addJob(kind, { key: "b", payload: { n: 3 }, runAtMs: nowMs + 10_000 })
      yield* TestClock.adjust(9_999)
      expect(yield* Queue.size(begun)).toBe(0)
      expect(yield* comes(begun)).toBe(3)
      yield* stop
    })
  )

  it.effect("rests longer after each failure, and is given up with its consequences", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const over: Array<string> = []
      const handler = jobHandler(kind, {
        restMs: (tries) => tries * 10_000,
        triesMax: 3,
        work: () => Effect.fail(new Error("the engine is silent")),
        giveUp: (_, why) => Effect.sync(() => void over.push(why))
      })
      yield* addJob(kind, { key: "a", payload: { n: 1 } })
      expect(yield* workDue([handler])).toBe(1)
      expect(yield* listed(kind)).toEqual([{ key: "a", state: "waiting", tries: 1, lastError: "the engine is silent" }])
      yield* TestClock.adjust(8_000)
      expect(yield* workDue([handler])).toBe(0)
      yield* TestClock.adjust(4_000)
      expect(yield* workDue([handler])).toBe(1)
      yield* TestClock.adjust(17_000)
      expect([yield* workDue([handler]), over]).toEqual([0, []])
      yield* TestClock.adjust(6_000)
      expect([yield* workDue([handler]), over]).toEqual([1, ["the engine is silent"]])
      expect(yield* listed(kind)).toMatchObject([{ state: "failed", tries: 3 }])
      // Added again, it starts again; an operator can also retry it.
      yield* addJob(kind, { key: "a", payload: { n: 2 } })
      expect(yield* listed(kind)).toMatchObject([{ state: "waiting", tries: 0 }])
    })
  )

  it.effect("counts no try when a job asks to run again", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const handler = jobHandler(kind, { restMs, triesMax: 1, work: () => rescheduleAfter(5_000, "the disk is full") })
      yield* addJob(kind, { key: "a", payload: { n: 1 } })
      for (let n = 0; n < 3; n++) {
        expect(yield* workDue([handler])).toBe(1)
        yield* TestClock.adjust(5_000)
      }
      expect(yield* listed(kind)).toMatchObject([{ state: "waiting", tries: 0, lastError: "the disk is full" }])
    })
  )

  it.effect("of a killed process resumes within 20 seconds, and of an orderly stop at once", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const begun = yield* Queue.unbounded<number>()
      const hangs = jobHandler(kind, {
        restMs,
        work: (_, { tries }) => Effect.andThen(Queue.offer(begun, tries), Effect.never)
      })
      yield* addJob(kind, { key: "a", payload: { n: 1 } })
      // The state after a kill: a lease that nobody renews.
      const nowMs = yield* Clock.currentTimeMillis
      expect(yield* (yield* Jobs).claim([kind.name], "wkr_killed", nowMs, nowMs + jobLeaseMs)).not.toBeNull()
      const first = yield* process_([hangs])
      yield* TestClock.adjust(jobLeaseMs - 1)
      expect(yield* Queue.size(begun)).toBe(0)
      expect(jobLeaseMs + jobTickMs).toBeLessThanOrEqual(20_000)
      expect(yield* comes(begun)).toBe(2)
      // Its lease is renewed: however long it takes, no other worker takes the job.
      const second = yield* process_([hangs])
      const untilMs = (yield* Clock.currentTimeMillis) + 10 * jobHeartbeatMs
      while ((yield* Clock.currentTimeMillis) < untilMs) {
        yield* step
        const [job] = yield* records(kind)
        expect(job!.runAtMs).toBeGreaterThan(yield* Clock.currentTimeMillis)
      }
      expect(yield* Queue.size(begun)).toBe(0)
      yield* first.stop
      expect(yield* comes(begun)).toBe(2)
      yield* second.stop
      // A worker that lost the lease settles nothing.
      yield* (yield* Jobs).markDone(
        (yield* (yield* Jobs).list({ state: null, kind: kind.name, limit: 1, cursor: null }))!.records[0]!.id,
        "wkr_killed"
      )
      expect(yield* listed(kind)).toMatchObject([{ state: "waiting", tries: 1 }])
    })
  )

  it.effect("is shared by two processes: both take jobs, and each job is done once", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const done = yield* Queue.unbounded<{ readonly by: string; readonly n: number }>()
      const bothWork = yield* Deferred.make<void>()
      const busy = new Set<string>()
      const enter = (by: string) =>
        process_([
          jobHandler(kind, {
            restMs,
            work: ({ n }) =>
              Effect.gen(function* () {
                if (busy.add(by).size === 2) yield* Deferred.succeed(bothWork, undefined)
                yield* Deferred.await(bothWork)
                yield* Queue.offer(done, { by, n })
              })
          })
        ])
      const numbers = Array.from({ length: 8 }, (_, n) => n)
      for (const n of numbers) yield* addJob(kind, { key: `${n}`, payload: { n } })
      const [first, second] = [yield* enter("first"), yield* enter("second")]
      const all: Array<{ readonly by: string; readonly n: number }> = []
      while (all.length < numbers.length) all.push(yield* comes(done))
      yield* until(listed(kind), (left) => left.length === 0)
      yield* Effect.andThen(first.stop, second.stop)
      expect(all.map(({ n }) => n).toSorted()).toEqual(numbers)
      expect([...new Set(all.map(({ by }) => by))].toSorted()).toEqual(["first", "second"])
      expect(yield* Queue.size(done)).toBe(0)
    })
  )

  it.effect("is cancelled by an operator, waiting or running, and retried on request", () =>
    Effect.gen(function* () {
      const kind = aKind()
      const over = yield* Queue.unbounded<string>()
      const begun = yield* Deferred.make<void>()
      const ended = yield* Ref.make(false)
      const handler = jobHandler(kind, {
        restMs,
        work: () =>
          Effect.andThen(Deferred.succeed(begun, undefined), Effect.never).pipe(
            Effect.onInterrupt(() => Ref.set(ended, true))
          ),
        giveUp: (_, why) => Queue.offer(over, why).pipe(Effect.asVoid)
      })
      const jobs = yield* Jobs
      const nowMs = yield* Clock.currentTimeMillis
      yield* addJob(kind, { key: "waits", payload: { n: 1 }, runAtMs: nowMs + 3_600_000 })
      yield* addJob(kind, { key: "runs", payload: { n: 2 } })
      const { stop } = yield* process_([handler])
      yield* Deferred.await(begun)
      const all = yield* records(kind)
      for (const { id } of all) expect(yield* jobs.cancel(id, "Cancelled by ada: no", nowMs)).toBe(true)
      expect([yield* comes(over), yield* comes(over), yield* Ref.get(ended)]).toEqual([
        "Cancelled by ada: no",
        "Cancelled by ada: no",
        true
      ])
      yield* until(listed(kind), (all) => all.every(({ state }) => state === "cancelled"))
      yield* stop
      expect(yield* jobs.cancel(all[0]!.id, "again", nowMs)).toBe(false)
      expect(yield* jobs.retry(all[0]!.id, nowMs)).toBe(true)
      expect((yield* listed(kind)).map(({ state }) => state)).toContain("waiting")
    })
  )

  it.effect("runs periodic jobs on time, in one process, and retries failures", () =>
    Effect.gen(function* () {
      const name = aKind().name
      const times = yield* Queue.unbounded<number>()
      const fails = yield* Ref.make(true)
      const handler = periodicJob(name, {
        next: repeatEvery(60_000),
        work: Effect.gen(function* () {
          yield* Queue.offer(times, yield* Clock.currentTimeMillis)
          if (yield* Ref.getAndSet(fails, false)) return yield* Effect.fail("not now")
        })
      })
      const startMs = yield* Clock.currentTimeMillis
      const plans = yield* Queue.unbounded<void>()
      const jobs = yield* Jobs
      const heard = Jobs.of({
        ...jobs,
        addPeriodic: (...asked) => Effect.tap(jobs.addPeriodic(...asked), () => Queue.offer(plans, undefined))
      })
      const start = Effect.provideService(process_([handler]), Jobs, heard)
      const [first, second] = [yield* start, yield* start]
      // A plan that is stored late would take the next run forward.
      yield* Queue.takeN(plans, 2)
      expect(yield* Queue.take(times)).toBe(startMs)
      yield* resting({ name })
      const again = yield* comes(times)
      expect(again).toBeGreaterThan(startMs)
      const [planned] = yield* resting({ name })
      expect(planned).toMatchObject({ runAtMs: again + 60_000, tries: 0, lastError: null })
      yield* TestClock.adjust(planned!.runAtMs - 1 - (yield* Clock.currentTimeMillis))
      expect(yield* Queue.size(times)).toBe(0)
      expect(yield* comes(times)).toBeGreaterThanOrEqual(again + 60_000)
      yield* resting({ name })
      yield* Effect.andThen(first.stop, second.stop)
      expect((yield* listed({ name })).map(({ key }) => key)).toEqual([""])
    })
  )

  it.effect("waits while the store is away, and continues without a restart", () =>
    Effect.gen(function* () {
      const name = aKind().name
      const times = yield* Queue.unbounded<number>()
      const refused = yield* Queue.unbounded<number>()
      const jobs = yield* Jobs
      const unsteady = Jobs.of({
        ...jobs,
        claim: (...asked) =>
          Effect.flatMap(Queue.size(refused), (size) =>
            size < 3
              ? Effect.andThen(Queue.offer(refused, size), Effect.die(new Error("the store is away")))
              : jobs.claim(...asked)
          )
      })
      const handler = periodicJob(name, {
        next: repeatEvery(60_000),
        work: Effect.flatMap(Clock.currentTimeMillis, (nowMs) => Queue.offer(times, nowMs))
      })
      const worker = yield* Effect.provideService(process_([handler]), Jobs, unsteady)
      for (let tries = 0; tries < 3; tries++) yield* comes(refused)
      yield* comes(times)
      const tree = yield* ActorTree
      expect((yield* tree.nodes).filter((node) => node.name === "Jobs")).toMatchObject([
        { state: "running", restarts: 0 }
      ])
      yield* resting({ name })
      yield* worker.stop
    })
  )
})
