import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Context, Effect, Layer } from "effect"
import { ClusterSchema, Sharding, SingleRunner } from "effect/cluster"
import type { Rpc } from "effect/rpc"
import { type BadConfig, clusterOf, StationConfig } from "../../engine/runtime/Config.ts"
import { inFewServices } from "../../engine/store/sql/fewServices.ts"
import { AirHandover } from "./AirHandover.ts"
import { withoutServices } from "./actorLayer.ts"
import type { EventBus } from "./EventBus.ts"
import { isStateless, makeStatelessActors } from "./StatelessActors.ts"

/**
 * Runs every addressed actor in this process. Shard ownership is kept in memory: kept in the store, one second without an answer would end
 * every actor, the scheduler included.
 */
const oneProcess = Layer.orDie(
  SingleRunner.layer({
    runnerStorage: "memory",
    shardingConfig: { entityMessagePollInterval: "500 millis", entityTerminationTimeout: "10 seconds" }
  })
).pipe(
  Layer.provide(NodeCrypto.layerDigest),
  withoutServices,
  Layer.merge(Layer.succeed(AirHandover, AirHandover.of({ handOver: Effect.void })))
)

type Send = (payload: unknown, options?: { readonly headers?: Readonly<Record<string, string>> }) => unknown

/**
 * Sends messages without the services of their sender, all of which the cluster would copy for an instance that wakes. A persisted message is
 * saved in the transaction of its sender, and keeps them. `isAlone`: this is the only process, so that stateless actors need no cluster. Among
 * several, each id of one has an instance, in one of the processes.
 */
export const makeSharding = (sharding: Sharding.Sharding["Service"], isAlone: boolean) => {
  const stateless = makeStatelessActors(sharding)
  const makeClient: typeof sharding.makeClient = (entity) =>
    Effect.map(sharding.makeClient(entity), (client) => (id) => {
      const messages = client(id) as unknown as Record<string, Send>
      const send = (tag: string): Send | undefined => {
        const rpc = entity.protocol.requests.get(tag) as unknown as Rpc.AnyWithProps | undefined
        if (rpc === undefined || Context.get(rpc.annotations, ClusterSchema.Persisted)) return messages[tag]
        return (payload, options) => {
          const message = messages[tag]!(payload, options)
          return Effect.isEffect(message) ? inFewServices(message) : message
        }
      }
      return new Proxy({}, { get: (_, tag) => send(tag as string) }) as never
    })
  return Sharding.Sharding.of({
    ...sharding,
    makeClient: (entity) =>
      isAlone && isStateless(entity.protocol) ? stateless.makeClient(entity) : makeClient(entity),
    registerEntity: (entity, build, options) =>
      isAlone && isStateless(entity.protocol)
        ? stateless.registerEntity(entity, build)
        : sharding.registerEntity(entity, build, options)
  })
}

type Cluster = Layer.Layer<
  AirHandover | Sharding.Sharding,
  BadConfig,
  EventBus | StationConfig | Layer.Services<typeof oneProcess>
>

/**
 * Runs the addressed actors: all of them in this process, or spread over all processes with the same database, if CLUSTER_HOST is set. Every write of
 * the air is checked against the owner's fencing token in both cases.
 */
export const ActorCluster: Cluster = Layer.unwrap(
  Effect.gen(function* () {
    const cluster = clusterOf(yield* StationConfig)
    // Loaded by stations that need it: one process has no use for connections to others.
    const actors =
      cluster === null
        ? oneProcess
        : (yield* Effect.promise(() => import("./ClusterRunners.ts"))).clusterRunners(cluster)
    return Layer.effect(
      Sharding.Sharding,
      Effect.map(Sharding.Sharding, (sharding) => makeSharding(sharding, cluster === null))
    ).pipe(Layer.provideMerge(actors))
  })
)
