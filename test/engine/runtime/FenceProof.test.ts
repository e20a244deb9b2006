import { describe, expect, it } from "vitest"
import * as fc from "fast-check"
import { fenceProofsOf } from "../../../engine/runtime/FenceProof.ts"
import { fenceProofMaxAgeMs } from "../../../engine/rules/air/limits.ts"
import { fenceClaimedBy } from "../../../schema/air/Fence.ts"

const fences = fc.nat({ max: 1_000_000_000_000 })
const times = fc.nat({ max: 4_000_000_000_000 })

describe("the proof of a token", () => {
  it("is believed by those that share the secret, for some seconds", () => {
    fc.assert(
      fc.property(fences, times, fc.integer({ min: -60_000, max: 60_000 }), (fence, atMs, lateMs) => {
        const proof = fenceProofsOf("ours").write(fence, atMs)
        expect(fenceClaimedBy(proof)).toBe(fence)
        const readers = fenceProofsOf("ours")
        // The second time from memory.
        for (const _ of [1, 2])
          expect(readers.read(proof, atMs + lateMs)).toEqual(
            Math.abs(lateMs) <= fenceProofMaxAgeMs ? { fence, atMs } : null
          )
        expect(fenceProofsOf("another").read(proof, atMs)).toBe(null)
      })
    )
  })

  it("can be neither changed nor made up", () => {
    fc.assert(
      fc.property(fences, fences, times, (fence, other, atMs) => {
        const proofs = fenceProofsOf("ours")
        const proof = proofs.write(fence, atMs)
        fc.pre(fence !== other)
        expect(proofs.read(proof.replace(/^\d+/, String(other)), atMs)).toBe(null)
        expect(proofs.read(proof.replace(/\.\d+\./, `.${atMs + 1}.`), atMs)).toBe(null)
      })
    )
    fc.assert(
      fc.property(fc.string(), times, (text, nowMs) => {
        expect(fenceProofsOf("ours").read(text, nowMs)).toBe(null)
      })
    )
  })
})
