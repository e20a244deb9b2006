import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../../schema/Ids.ts"

export const KeyUse = Schema.Struct({ agentId: AgentId, keyId: KeyId, atMs: Schema.Finite })
export type KeyUse = typeof KeyUse.Type

/**
 * Saves when agents last used their keys, one actor for the station. Waking the desk of each agent, or writing each use by itself, would cost as much as
 * the request.
 */
export const KeyUses = Entity.make("KeyUses", [Rpc.make("Seen", { payload: { uses: Schema.Array(KeyUse) } })])
