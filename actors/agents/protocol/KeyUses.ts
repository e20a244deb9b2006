import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../../schema/Ids.ts"

export const KeyUse = Schema.Struct({ agentId: AgentId, keyId: KeyId, atMs: Schema.Finite })
export type KeyUse = typeof KeyUse.Type

/**
 * Uses of agents' keys, keyed by station. Most agents come once in a while: to wake the desk of each, or to write each use by itself, would cost as
 * much as its request.
 */
export const KeyUses = Entity.make("KeyUses", [Rpc.make("Seen", { payload: { uses: Schema.Array(KeyUse) } })])
