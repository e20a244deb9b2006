import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Effect, Layer } from "effect"
import { type Sharding, SingleRunner } from "effect/cluster"
import { type BadConfig, clusterOf, StationConfig } from "../../engine/runtime/Config.ts"
import { AirHandover } from "./AirHandover.ts"
import { withoutServices } from "./actorLayer.ts"
import type { EventBus } from "./EventBus.ts"

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
    if (cluster === null) return oneProcess
    // Loaded by stations that need it: one process has no use for connections to others.
    const { clusterRunners } = yield* Effect.promise(() => import("./ClusterRunners.ts"))
    return clusterRunners(cluster)
  })
)
