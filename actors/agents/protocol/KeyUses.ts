import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../../schema/Ids.ts"

/** Uses of agents' keys, keyed by station. For each agent's first request of a minute, waking its desk would cost as much as the request. */
export const KeyUses = Entity.make("KeyUses", [
  Rpc.make("Seen", { payload: { agentId: AgentId, keyId: KeyId, atMs: Schema.Finite } })
])
