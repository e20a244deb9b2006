import type { Keys } from "./Keys.ts"
import { isSameHash } from "./Secrets.ts"

const proofOf = (keys: Keys["Service"], agentId: string) => keys.hmac("appeal", agentId)

/** Signed address for an appeal, for an agent without a working key. Only its recipient can use it. */
export const appealUrl = (keys: Keys["Service"], publicUrl: string, agentId: string): string =>
  `${publicUrl}/appeal/${agentId}.${proofOf(keys, agentId)}`

export const isAppealProof = (keys: Keys["Service"], agentId: string, proof: string): boolean =>
  isSameHash(proofOf(keys, agentId), proof)
