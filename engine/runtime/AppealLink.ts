import type { Keys } from "./Keys.ts"
import { sameHash } from "./Secrets.ts"

const proofOf = (keys: Keys["Service"], agentId: string) => keys.hmac("appeal", agentId)

/** Where an agent, or its owner, asks the station's people to think again. Only who is told the address can use it: it stands in for a key that may be shut out. */
export const appealUrl = (keys: Keys["Service"], publicUrl: string, agentId: string): string =>
  `${publicUrl}/appeal/${agentId}.${proofOf(keys, agentId)}`

export const isAppealProof = (keys: Keys["Service"], agentId: string, proof: string): boolean =>
  sameHash(proofOf(keys, agentId), proof)
