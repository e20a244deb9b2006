import { expect, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Schema } from "effect"
import { Entity, Sharding, TestRunner } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { makeSharding } from "../../../actors/runtime/Cluster.ts"
import { pooledLayer } from "../../../actors/runtime/pooledLayer.ts"
import { Pooled } from "../../../actors/runtime/protocol.ts"
import { pooledInstances } from "../../../engine/rules/runtime/limits.ts"
import { Keys } from "../../../engine/runtime/Keys.ts"
import { IdempotencyKeys } from "../../../engine/store/sql/IdempotencyKeys.ts"
import { TestConfig } from "../../support/agents/OnboardingWorld.ts"
import { TestPostgres } from "../../support/sql/Postgres.ts"

const Pilot = Entity.make("Pilot", [
  Rpc.make("Where", { success: Schema.Struct({ id: Schema.String, instance: Schema.String }) }),
  Rpc.make("Steer"),
  Rpc.make("Rest"),
  Rpc.make("Report", { success: Schema.Array(Schema.String) })
]).annotate(Pooled, true)

/** Pilots who steer until the test lets them go on. */
const pilots = Effect.gen(function* () {
  const steering: Array<string> = []
  const goOn = yield* Deferred.make<void>()
  const layer = pooledLayer(
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
const aboard = <A, E>(
  isAlone: boolean,
  run: (pilots: Effect.Success<typeof Pilot.client>, goOn: Effect.Effect<boolean>) => Effect.Effect<A, E>
) =>
  Effect.gen(function* () {
    const { goOn, layer } = yield* pilots
    return yield* Effect.flatMap(Pilot.client, (clients) => run(clients, Deferred.succeed(goOn, undefined))).pipe(
      Effect.provide(
        layer.pipe(
          Layer.provideMerge(
            Layer.effect(
              Sharding.Sharding,
              Effect.map(Sharding.Sharding, (sharding) => makeSharding(sharding, isAlone))
            )
          ),
          Layer.provideMerge(TestRunner.layer)
        )
      )
    )
  })
const ids = Array.from({ length: 500 }, (_, n) => `pilot_${n}`)

layer(world, { excludeTestServices: true })("a pooled actor", (it) => {
  it.effect("answers for each id, from a few instances", () =>
    aboard(true, (pilots) =>
      Effect.gen(function* () {
        const found = yield* Effect.forEach(ids, (id) => pilots(id).Where())
        expect(found.map(({ id }) => id)).toEqual(ids)
        expect(new Set(found.map(({ instance }) => instance)).size).toBe(pooledInstances)
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
        const found = yield* Effect.forEach(ids, (id) => pilots(id).Where())
        const [one] = found
        const other = found.slice(1).find(({ instance }) => instance === one!.instance)!
        const steered = yield* Effect.forkChild(
          Effect.all([pilots(one!.id).Steer(), pilots(one!.id).Steer(), pilots(other.id).Steer()], {
            concurrency: "unbounded"
          })
        )
        const rested = yield* Effect.forkChild(pilots(one!.id).Rest())
        // Answered while the pilot steers.
        const steering = yield* Effect.repeat(pilots(one!.id).Report(), { until: (all) => all.length >= 2 })
        expect(steering).toEqual([one!.id, other.id])
        yield* goOn
        yield* Fiber.join(steered)
        yield* Fiber.join(rested)
        expect(yield* pilots(one!.id).Report()).toEqual([one!.id, other.id, one!.id])
      })
    )
  )
})
