import type { Keys } from "../../engine/runtime/Keys.ts"
import { isSameHash } from "../../engine/runtime/Secrets.ts"

const proofOf = (keys: Keys["Service"], agentId: string, ownerEmailHash: string) =>
  keys.hmac("not-me", `${agentId}:${ownerEmailHash}`)

/** Link mailed to the address an agent was claimed with. It only suspends the agent, and only a reader of that mail has it. */
export const notMeUrl = (keys: Keys["Service"], publicUrl: string, agentId: string, ownerEmailHash: string): string =>
  `${publicUrl}/not-me/${agentId}.${proofOf(keys, agentId, ownerEmailHash)}`

export const isNotMe = (
  keys: Keys["Service"],
  agentId: string,
  ownerEmailHash: string | null,
  proof: string
): boolean => ownerEmailHash !== null && isSameHash(proofOf(keys, agentId, ownerEmailHash), proof)
