import { expect, layer } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber, Layer, Option, Schema } from "effect"
import { ClusterError, Entity, Sharding, TestRunner } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { SqlClient } from "effect/sql"
import { makeSharding } from "../../../actors/runtime/Cluster.ts"
import { Stateless } from "../../../actors/runtime/protocol.ts"
import { statelessLayer } from "../../../actors/runtime/statelessLayer.ts"
import { mailboxCapacity } from "../../../engine/rules/runtime/limits.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { IdempotencyKeys } from "../../../engine/store/sql/IdempotencyKeys.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

const Pilot = Entity.make("Pilot", [
  Rpc.make("Where", { success: Schema.Struct({ id: Schema.String, instance: Schema.String }) }),
  Rpc.make("Steer"),
  Rpc.make("Rest"),
  Rpc.make("Sink"),
  Rpc.make("Log", { success: Schema.Number }),
  Rpc.make("Report", { success: Schema.Array(Schema.String) })
]).annotate(Stateless, true)

const backend = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(Effect.orDie(sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`), ([row]) => row!.pid)
)
/** Pilots who steer and rest until the test lets them go on. */
const pilots = Effect.gen(function* () {
  const steering: Array<string> = []
  const goOn = yield* Deferred.make<void>()
  const layer = statelessLayer(
    Pilot,
    Effect.map(
      Entity.CurrentAddress,
      ({ entityId: instance }) =>
        (id: string) =>
          Pilot.of({
            Where: () => Effect.succeed({ id, instance }),
            Steer: () =>
              Effect.andThen(
                Effect.sync(() => steering.push(id)),
                Deferred.await(goOn)
              ),
            Rest: () => Deferred.await(goOn),
            Sink: () => Effect.die(new Error("The ship has sunk.")),
            // The connection that a statement of the handler takes.
            Log: () => backend as Effect.Effect<number>,
            Report: () => Effect.sync(() => [...steering])
          })
    ),
    { outOfTurn: ["Rest", "Report"] }
  )
  return { goOn, layer }
})
const world = Layer.mergeAll(IdempotencyKeys.layer, Keys.layer).pipe(
  Layer.provideMerge(Layer.mergeAll(TestPostgres, TestConfig()))
)
const sharding = (isAlone: boolean) =>
  Layer.effect(
    Sharding.Sharding,
    Effect.map(Sharding.Sharding, (cluster) => makeSharding(cluster, isAlone))
  ).pipe(Layer.provideMerge(TestRunner.layer))
const aboard = <A, E, R>(
  isAlone: boolean,
  run: (pilots: Effect.Success<typeof Pilot.client>, goOn: Effect.Effect<boolean>) => Effect.Effect<A, E, R>
) =>
  Effect.gen(function* () {
    const { goOn, layer } = yield* pilots
    return yield* Effect.flatMap(Pilot.client, (clients) => run(clients, Deferred.succeed(goOn, undefined))).pipe(
      Effect.provide(layer.pipe(Layer.provideMerge(sharding(isAlone))))
    )
  })
const ids = Array.from({ length: 500 }, (_, n) => `pilot_${n}`)

layer(world, { excludeTestServices: true })("a stateless actor", (it) => {
  it.effect("answers for each id, without an instance for each", () =>
    aboard(true, (pilots) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(ids, (id) => pilots(id).Where())
        expect(found.map(({ id }) => id)).toEqual(ids)
        expect(new Set(found.map(({ instance }) => instance)).size).toBe(1)
      })
    )
  )

  it.effect("has an instance for each id among several processes", () =>
    aboard(false, (pilots) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(ids.slice(0, 20), (id) => pilots(id).Where())
        expect(found).toEqual(ids.slice(0, 20).map((id) => ({ id, instance: id })))
      })
    )
  )

  it.effect("handles messages of an id in turn, those of another at once, and those that need no turn", () =>
    aboard(true, (pilots, goOn) =>
      Effect.gen(function* () {
        const [one, other] = [pilots("one"), pilots("other")]
        const steered = yield* Effect.forkChild(
          Effect.all([one.Steer(), one.Steer(), other.Steer()], { concurrency: "unbounded" })
        )
        const rested = yield* Effect.forkChild(one.Rest())
        // Answered while the pilot steers.
        const steering = yield* Effect.repeat(one.Report(), { until: (all) => all.length >= 2 })
        expect(steering).toEqual(["one", "other"])
        yield* goOn
        yield* Fiber.join(steered)
        yield* Fiber.join(rested)
        expect(yield* one.Report()).toEqual(["one", "other", "one"])
      })
    )
  )

  it.effect("refuses what is sent to an id with a full mailbox, and to no other", () =>
    aboard(true, (pilots, goOn) =>
      Effect.gen(function* () {
        const [one, other] = [pilots("one"), pilots("other")]
        const resting = yield* Effect.forEach(
          Array.from({ length: mailboxCapacity }, () => one),
          (pilot) => Effect.forkChild(pilot.Rest(), { startImmediately: true })
        )
        expect(yield* Effect.flip(one.Where())).toBeInstanceOf(ClusterError.MailboxFull)
        expect((yield* other.Where()).id).toBe("other")
        // An interrupted sender frees its place in the mailbox.
        yield* Fiber.interrupt(resting[0]!)
        expect((yield* one.Where()).id).toBe("one")
        yield* goOn
        yield* Fiber.joinAll(resting.slice(1))
      })
    )
  )

  it.effect("gives a turn back when its sender gives up", () =>
    aboard(true, (pilots) =>
      Effect.gen(function* () {
        const one = pilots("one")
        const steering = yield* Effect.forkChild(one.Steer(), { startImmediately: true })
        expect(yield* one.Report()).toEqual(["one"])
        const waiting = yield* Effect.forkChild(one.Where(), { startImmediately: true })
        yield* Fiber.interrupt(steering)
        expect((yield* Fiber.join(waiting)).id).toBe("one")
      })
    )
  )

  it.effect("answers a defect to its one message", () =>
    aboard(true, (pilots) =>
      Effect.gen(function* () {
        const sunk = yield* Effect.exit(pilots("one").Sink())
        expect(Exit.isFailure(sunk) && Cause.squash(sunk.cause)).toEqual(new Error("The ship has sunk."))
        expect((yield* pilots("one").Where()).id).toBe("one")
      })
    )
  )

  it.effect("handles a message outside of the transaction of its sender", () =>
    aboard(true, (pilots) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const [logged, own] = yield* sql.withTransaction(Effect.all([pilots("one").Log(), backend]))
        expect(logged).not.toBe(own)
      })
    )
  )

  it.effect("gets what was sent before its layer was there", () =>
    Effect.gen(function* () {
      const { layer } = yield* pilots
      const early = yield* Effect.forkChild(
        Effect.flatMap(Pilot.client, (pilots) => pilots("one").Where()),
        {
          startImmediately: true
        }
      )
      expect(Option.isNone(Option.fromUndefinedOr(early.pollUnsafe()))).toBe(true)
      yield* Layer.build(layer)
      expect((yield* Fiber.join(early)).id).toBe("one")
    }).pipe(Effect.scoped, Effect.provide(sharding(true)))
  )
})
