import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../../schema/Ids.ts"

export const KeyUse = Schema.Struct({ agentId: AgentId, keyId: KeyId, atMs: Schema.Finite })
export type KeyUse = typeof KeyUse.Type

/**
 * Saves the last uses of agents' keys. One actor of the station saves many in one statement: a message to each agent's desk, or a statement for
 * each use, would cost as much as the request.
 */
export const KeyUses = Entity.make("KeyUses", [Rpc.make("Seen", { payload: { uses: Schema.Array(KeyUse) } })])
