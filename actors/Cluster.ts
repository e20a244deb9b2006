import { NodeCrypto } from "@effect/platform-node"
import { Layer } from "effect"
import { SingleRunner } from "effect/cluster"

/**
 * The engine under every actor with an address: one process, its mailbox and shard tables in Postgres, so that further
 * processes can join without a change above this line. Locks are refreshed often: a dead owner is noticed in seconds.
 */
export const ActorCluster = SingleRunner.layer({
  runnerStorage: "sql",
  shardingConfig: {
    shardLockRefreshInterval: "1 second",
    shardLockExpiration: "5 seconds",
    refreshAssignmentsInterval: "1 second",
    entityMessagePollInterval: "500 millis",
    entityTerminationTimeout: "10 seconds"
  }
}).pipe(Layer.provide(NodeCrypto.layerDigest))
