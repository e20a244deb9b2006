import { createHmac, timingSafeEqual } from "node:crypto"
import type { FenceProofs, ProvenFence } from "../ports/AirOwnership.ts"
import { fenceProofMaxAgeMs } from "../rules/air/limits.ts"

const form = /^(\d{1,15})\.(\d{1,15})\.([0-9a-f]{64})$/

/** Proofs of processes that share a secret, as `fence.atMs.hmac`. A proof is void after some seconds, so that an old one can't be shown again later. */
export const fenceProofsOf = (secret: string): FenceProofs => {
  const macOf = (fence: string, atMs: string) =>
    createHmac("sha256", secret).update(`longwave fence ${fence} ${atMs}`).digest()
  let last: { readonly text: string; readonly proven: ProvenFence } | null = null
  const isFresh = (atMs: number, nowMs: number) => Math.abs(nowMs - atMs) <= fenceProofMaxAgeMs
  return {
    write: (fence, nowMs) => `${fence}.${nowMs}.${macOf(String(fence), String(nowMs)).toString("hex")}`,
    read: (text, nowMs) => {
      // All requests of a second carry the same one.
      if (last !== null && text === last.text) return isFresh(last.proven.atMs, nowMs) ? last.proven : null
      const [, fence, atMs, mac] = form.exec(text) ?? []
      if (fence === undefined || !isFresh(Number(atMs), nowMs)) return null
      if (!timingSafeEqual(Buffer.from(mac!, "hex"), macOf(fence, atMs!))) return null
      last = { text, proven: { fence: Number(fence), atMs: Number(atMs) } }
      return last.proven
    }
  }
}
