import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { SingleRunner } from "effect/cluster"

/**
 * Runs every addressed actor in one process. Shard ownership is kept in memory: kept in the store, one second without an answer would end
 * every actor, the scheduler included. Running several processes needs shared locks (`NodeClusterSocket`) and changes only this layer.
 * Every write is checked against the owner's fencing token in both cases.
 */
export const ActorCluster = SingleRunner.layer({
  runnerStorage: "memory",
  shardingConfig: { entityMessagePollInterval: "500 millis", entityTerminationTimeout: "10 seconds" }
}).pipe(Layer.provide(NodeCrypto.layerDigest))
