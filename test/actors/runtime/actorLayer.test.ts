import { NodeServices } from "@effect/platform-node"
import { describe, expect, it } from "@effect/vitest"
import { Context, Deferred, Effect, Layer, Schema } from "effect"
import { Entity, TestRunner } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { actorLayer, withoutServices } from "../../../actors/runtime/actorLayer.ts"
import { transient } from "../../../actors/runtime/EntityKinds.ts"

class Tide extends Context.Service<Tide, { readonly cm: number }>()("longwave/test/Tide") {}
class Gauge extends Context.Service<Gauge, Context.Context<never>>()("longwave/test/Gauge") {}

const Pilot = Entity.make("Pilot", [
  Rpc.make("Read", { success: Schema.Struct({ atFirst: Schema.Finite, nowCm: Schema.Finite, of: Schema.String }) }),
  Rpc.make("Wait"),
  Rpc.make("GoOn")
])
const PilotLive = actorLayer(
  Pilot,
  Effect.gen(function* () {
    const { cm: atFirst } = yield* Tide
    const of = (yield* Entity.CurrentAddress).entityId
    const gone = yield* Deferred.make<void>()
    return Pilot.of({
      Read: () => Effect.map(Tide, ({ cm: nowCm }) => ({ atFirst, nowCm, of })),
      Wait: () => Rpc.fork(Deferred.await(gone)),
      GoOn: () => Effect.asVoid(Deferred.succeed(gone, undefined))
    })
  }),
  transient
)

describe("the layer of an actor", () => {
  it.live(
    "gives the services of the station to each instance and message, and keeps what the handlers ask of the mailbox",
    () =>
      Effect.gen(function* () {
        const pilots = yield* Pilot.client
        for (const of of ["elbe", "weser"]) expect(yield* pilots(of).Read()).toEqual({ atFirst: 140, nowCm: 140, of })
        // One at a time, the second would wait for the first for ever.
        yield* Effect.all([pilots("elbe").Wait(), pilots("elbe").GoOn()], { concurrency: "unbounded" })
      }).pipe(
        Effect.provide(
          PilotLive.pipe(
            Layer.provideMerge(TestRunner.layer),
            Layer.provide([Layer.succeed(Tide, { cm: 140 }), NodeServices.layer])
          )
        )
      )
  )

  it.effect("hides the services of the station and its platform from the cluster, and nothing else", () =>
    Effect.gen(function* () {
      const found = [...(yield* Gauge).mapUnsafe.keys()]
      expect(found.filter((key) => /^longwave|FileSystem|Path/.test(key))).toEqual([])
      expect(found).toContain("effect/Scope")
    }).pipe(
      Effect.provide(
        withoutServices(Layer.effect(Gauge, Effect.context<never>())).pipe(
          Layer.provide([Layer.succeed(Tide, { cm: 140 }), NodeServices.layer])
        )
      )
    )
  )
})
