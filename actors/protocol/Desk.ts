import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { AgentId, KeyId } from "../../schema/Ids.ts"
import { InvalidApiKey, NotFound } from "../../schema/Problems.ts"

/** What one agent does with its own record. Keyed by the agent. */
export const Desk = Entity.make("Desk", [
  Rpc.make("RotateKey", {
    payload: { dryRun: Schema.Boolean },
    success: Schema.Struct({ apiKey: Schema.String, keyId: KeyId, revokedKeyIds: Schema.Array(KeyId) }),
    error: InvalidApiKey
  }),
  /** Ends it: keys revoked, nothing of it that hasn't begun will air, its voice is free. A repeat changes nothing. */
  Rpc.make("Leave", {
    payload: { dryRun: Schema.Boolean },
    success: Schema.Struct({ agentId: AgentId, revokedKeys: Schema.Int, deletedAtMs: Schema.Finite })
  }),
  /** Whoever holds the address it was claimed with says that it is none of theirs. A repeat changes nothing. */
  Rpc.make("Disown", { payload: { proof: Schema.String }, success: Schema.Void, error: NotFound })
])
