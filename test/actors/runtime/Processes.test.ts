import { expect, it, layer } from "@effect/vitest"
import { Cause, Clock, Context, Deferred, Effect, Exit, Fiber, Layer, Queue, Schema, Stream } from "effect"
import { ClusterSchema, Entity, EntityId, Sharding } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { SqlClient } from "effect/sql"
import { describe } from "vitest"
import { actorControl } from "../../../actors/operations/ActorControl.ts"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { addJob, type JobHandler, jobHandler } from "../../../actors/runtime/Jobs.ts"
import { jobWorker } from "../../../actors/runtime/JobWorker.ts"
import { jobKind } from "../../../actors/runtime/protocol.ts"
import { ActorTree, supervise } from "../../../actors/runtime/Supervision.ts"
import { jobTickMs } from "../../../engine/rules/runtime/limits.ts"
import { settingsKnownMs } from "../../../engine/rules/operations/limits.ts"
import { Settings, SettingsWriter } from "../../../engine/store/operations/Settings.ts"
import { Changes } from "../../../engine/store/sql/Changes.ts"
import { Flood } from "../../../http/envelope/Flood.ts"
import { enterProcess, type TestProcess } from "../../support/runtime/Processes.ts"
import { makeDatabase } from "../../support/sql/Postgres.ts"

/** Asks until the answer is right. */
const until = Effect.fnUntraced(function* <A, E, R>(ask: Effect.Effect<A, E, R>, isRight: (answer: A) => boolean) {
  for (;;) {
    const answer = yield* ask
    if (isRight(answer)) return answer
    yield* Effect.sleep(5)
  }
})
const endless = jobKind("test.endless", Schema.Null)
/** An actor that never answers. Its command is kept until it is done, its question isn't. */
const Slow = Entity.make("TestSlow", [
  Rpc.make("Do", { success: Schema.String }).annotate(ClusterSchema.Persisted, true),
  Rpc.make("Ask", { success: Schema.String })
])

/** Keys of actors that this process runs, once all shards are divided among the processes. */
const keysIn = Effect.fnUntraced(function* (process: TestProcess, others: ReadonlyArray<TestProcess>) {
  const keys = Array.from({ length: 300 }, (_, n) => `slow-${n}`)
  const shareOf = ({ run }: TestProcess) =>
    run(
      Effect.map(Sharding.Sharding, (sharding) =>
        keys.filter((key) => sharding.hasShardId(sharding.getShardId(EntityId.make(key), "default")))
      )
    )
  const shares = yield* until(
    Effect.all([process, ...others].map(shareOf)),
    (all) => all.every(({ length }) => length > 0) && all.flat().length === keys.length
  )
  return shares[0]!
})

/** Two processes that have heard of each other. */
const enterTwo = Effect.gen(function* () {
  const url = yield* makeDatabase()
  const [first, second] = yield* Effect.all([enterProcess(url), enterProcess(url)], { concurrency: 2 })
  for (const process of [first, second])
    yield* until(
      process.run(Effect.flatMap(EventBus, (bus) => bus.get("processes"))),
      (known) => (known ?? []).every(({ entities }) => entities !== null) && known?.length === 2
    )
  return { url, first, second }
})

class Pair extends Context.Service<Pair, Effect.Success<typeof enterTwo>>()("test/Pair") {}

layer(Layer.effect(Pair, enterTwo), { excludeTestServices: true })("two processes", (it) => {
  it.effect(
    "share settings: a change in one is in force in the other within a moment, and no change undoes another",
    () =>
      Effect.gen(function* () {
        const { first, second } = yield* Pair
        const isOpen = Effect.map(
          Effect.flatMap(Settings, ({ current }) => current),
          ({ openSignup }) => openSignup
        )
        const before = yield* second.run(isOpen)
        const startMs = yield* Clock.currentTimeMillis
        yield* first.run(Effect.flatMap(SettingsWriter, ({ change }) => change({ openSignup: !before }, "ada")))
        expect(yield* first.run(isOpen)).toBe(!before)
        yield* until(second.run(isOpen), (open) => open === !before)
        // By the notice, not by the regular look.
        expect((yield* Clock.currentTimeMillis) - startMs).toBeLessThan(settingsKnownMs / 2)
        const versions = yield* Effect.all(
          [first, second].map(({ run }) => run(Effect.flatMap(Settings, ({ version }) => version)))
        )
        expect(versions[0]).toBe(versions[1])
        // The second reads what is stored before it changes it.
        yield* first.run(Effect.flatMap(SettingsWriter, ({ change }) => change({ openSignup: before }, "ada")))
        yield* second.run(Effect.flatMap(SettingsWriter, ({ refresh }) => refresh))
        expect(yield* second.run(isOpen)).toBe(before)
      })
  )

  it.effect("get the rows that the other had locked when it was frozen or cut off", () =>
    Effect.gen(function* () {
      const { first, second } = yield* Pair
      const sql = yield* first.run(SqlClient.SqlClient)
      yield* sql`CREATE TABLE test_locked (n int)`
      yield* sql`INSERT INTO test_locked VALUES (1)`
      const isLocked = yield* Deferred.make<void>()
      yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE test_locked SET n = 2`
            yield* Deferred.succeed(isLocked, undefined)
            yield* Effect.never
          })
        )
      )
      yield* Deferred.await(isLocked)
      yield* second.run(Effect.flatMap(SqlClient.SqlClient, (other) => other`UPDATE test_locked SET n = n + 10`))
      expect(yield* sql`SELECT n FROM test_locked`).toEqual([{ n: 11 }])
    })
  )

  it.effect("restart an actor wherever it runs", () =>
    Effect.gen(function* () {
      const { first, second } = yield* Pair
      const begun = yield* Queue.unbounded<string>()
      const actor = (name: string, where: TestProcess) =>
        where.add(
          Layer.effectDiscard(
            Effect.gen(function* () {
              const [bus, tree] = [yield* EventBus, yield* ActorTree]
              const tell = Effect.flatMap(tree.nodes, (nodes) => bus.put("actors", nodes))
              yield* Effect.forkScoped(
                supervise(
                  name,
                  Effect.andThen(Effect.andThen(tell, Queue.offer(begun, `${name} in ${where.name}`)), Effect.never)
                )
              )
            })
          )
        )
      const restart = (name: string) =>
        first.run(actorControl.RestartActor({ payload: { name, actor: "ada", reason: "it hangs" } }))
      yield* actor("There", second)
      yield* actor("Both", first)
      yield* actor("Both", second)
      yield* Queue.takeN(begun, 3)
      yield* until(
        first.run(Effect.flatMap(EventBus, (bus) => bus.get("actorsElsewhere"))),
        (known) => known?.filter(({ state }) => state === "running").length === 2
      )
      expect(yield* restart("There")).toMatchObject({ name: "There", state: "running", restarts: 0 })
      expect(yield* Queue.take(begun)).toBe(`There in ${second.name}`)
      yield* restart("Both")
      expect((yield* Queue.takeN(begun, 2)).toSorted()).toEqual(
        [first, second].map(({ name }) => `Both in ${name}`).toSorted()
      )
      expect(yield* Effect.flip(restart("Nowhere"))).toMatchObject({ _tag: "NotFound" })
    })
  )

  it.effect(
    "give a caller that alternates between them one allowance, and what it sends before they have told each other",
    () =>
      Effect.gen(function* () {
        const { first, second } = yield* Pair
        const policy = { name: "test-reads", limit: 20, windowSec: 3_600 }
        const take = ({ run }: TestProcess) => run(Effect.flatMap(Flood, (flood) => flood.take(policy, "10.1.2.3")))
        const allowedOf = Effect.fnUntraced(function* (process: TestProcess) {
          for (let n = 0; ; n++) if (!(yield* take(process)).allowed) return n
        })
        const look = ({ run }: TestProcess) => run(Effect.flatMap(Flood, (flood) => flood.look(policy, "10.1.2.3")))
        for (let n = 0; n < 12; n++) expect((yield* take(first)).allowed).toBe(true)
        // One more would leave this many.
        yield* until(look(second), ({ remaining }) => remaining === 20 - 12 - 1)
        expect(yield* allowedOf(second)).toBe(8)
        yield* until(look(first), ({ allowed }) => !allowed)
        expect(yield* allowedOf(first)).toBe(0)
      })
  )
})

describe("one of two processes that stops", () => {
  it.live(
    "take everything for changed when the other one joins or leaves, and take up at once the jobs that it gives back",
    () =>
      Effect.gen(function* () {
        const { first, second, url } = yield* enterTwo
        const isAllNew = first.run(
          Effect.map(Changes, (changes) => {
            const { version } = changes
            return () => changes.hasChanged([new Set(["nobody_changes_this"])], version)
          })
        )
        const taken = yield* Queue.unbounded<string>()
        const work = ({ add, name }: TestProcess) =>
          add(
            jobWorker<ReadonlyArray<JobHandler<never>>>([
              jobHandler(endless, {
                restMs: () => 1_000,
                work: () => Effect.andThen(Queue.offer(taken, name), Effect.never)
              })
            ])
          )
        yield* work(second)
        yield* second.run(addJob(endless, { key: "", payload: null }))
        expect(yield* Queue.take(taken)).toBe(second.name)
        yield* work(first)
        const hasLeft = yield* isAllNew
        const startMs = yield* Clock.currentTimeMillis
        yield* second.stop
        expect(yield* Queue.take(taken)).toBe(first.name)
        // It began to wait a moment ago, and would look again after a tick.
        expect((yield* Clock.currentTimeMillis) - startMs).toBeLessThan(jobTickMs / 2)
        expect(hasLeft()).toBe(true)
        const hasJoined = yield* isAllNew
        yield* enterProcess(url, second.port)
        yield* until(Effect.sync(hasJoined), (all) => all)
      }).pipe(Effect.scoped)
  )

  // Effect's issues 6508 and 6248: a lost lock left an actor in two processes, and messages lay unread while all looked well.
  it.live("run a command again after its actor lost its lease, and when its process stops, once at a time", () =>
    Effect.gen(function* () {
      const { first, second } = yield* enterTwo
      const told = yield* Queue.unbounded<string>()
      let running = 0
      const slow = ({ add, name }: TestProcess) =>
        add(
          Slow.toLayer({
            Ask: () => Effect.andThen(Queue.offer(told, "asked"), Effect.never),
            Do: () =>
              Effect.acquireUseRelease(
                Effect.sync(() => void running++),
                () => Effect.andThen(Queue.offer(told, running === 1 ? name : "twice at once"), Effect.never),
                () => Effect.sync(() => void running--)
              )
          })
        )
      yield* slow(first)
      yield* slow(second)
      const sql = yield* first.run(SqlClient.SqlClient)
      const [key, other] = yield* keysIn(first, [second])
      // Sent by the process that stays.
      const client = yield* second.run(Slow.client)
      const sender = yield* Effect.forkChild(Effect.ignoreCause(client(key!).Do()))
      expect(yield* Queue.take(told)).toBe(first.name)
      yield* sql`DELETE FROM cluster_locks`
      expect(yield* Queue.take(told)).toBe(first.name)
      const asking = yield* Effect.forkChild(Effect.exit(client(other!).Ask()))
      expect(yield* Queue.take(told)).toBe("asked")
      const alerts: Array<string> = []
      const bus = yield* second.run(EventBus)
      yield* Effect.forkChild(
        Stream.runForEach(bus.events, ({ event }) =>
          Effect.sync(() => void (event._tag === "OpsAlerted" && alerts.push(event.detail)))
        )
      )
      yield* first.stop
      expect(yield* Queue.take(told)).toBe(second.name)
      // A handler answers 503 for it.
      const asked = yield* Fiber.join(asking)
      expect(Exit.isFailure(asked) && Cause.hasInterruptsOnly(asked.cause)).toBe(true)
      // A stop is no loss of a process.
      yield* until(bus.get("processes"), (known) => known?.length === 1 && known[0]!.hasAir)
      expect(alerts).toEqual([])
      yield* Fiber.interrupt(sender)
    }).pipe(Effect.scoped)
  )
})
