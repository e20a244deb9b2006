import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Layer } from "effect"
import { SingleRunner } from "effect/cluster"

/**
 * The engine under every actor with an address. One process owns all of them, whatever the store does: were ownership kept in the
 * store, a second without an answer would end every actor, the one that plans the programme among them. Several processes need locks
 * there (`NodeClusterSocket`), and change only this layer; what an owner writes is held against its fencing token either way.
 */
export const ActorCluster = SingleRunner.layer({
  runnerStorage: "memory",
  shardingConfig: { entityMessagePollInterval: "500 millis", entityTerminationTimeout: "10 seconds" }
}).pipe(Layer.provide(NodeCrypto.layerDigest))
