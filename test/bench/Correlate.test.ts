import { describe, expect, it } from "vitest"
import { find } from "../../bench/instruments/ears/Correlate.ts"

const noise = (length: number, seed: number): Float32Array => {
  let state = seed
  let low = 0
  return Float32Array.from({ length }, () => {
    state = (state + 0x6d2b79f5) | 0
    const mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    const value = ((mixed ^ (mixed >>> 14)) >>> 0) / 2_147_483_648 - 1
    // Low-passed like speech: white noise would vanish in the coarse search.
    low += 0.05 * (value - low)
    return low
  })
}

describe("find", () => {
  it("finds a sound to the sample, under noise and at a lower level", () => {
    const needle = noise(24_000, 7)
    const hay = noise(200_000, 99)
    for (let i = 0; i < needle.length; i++) hay[123_457 + i] = 0.3 * hay[123_457 + i]! + 0.7 * needle[i]!
    const match = find(needle, hay)
    expect(match.offsetSamples).toBe(123_457)
    expect(match.correlation).toBeGreaterThan(0.8)
  })

  it("finds speech at its position and not one period beside it, at any offset from the coarse grid", () => {
    // Most of its energy lies at frequencies where the coarse search can hardly distinguish phases.
    const voice = (length: number): Float32Array => {
      let phase = 0
      return Float32Array.from({ length }, (_, i) => {
        phase += (2 * Math.PI * (226 + 6 * Math.sin(i / 9_000))) / 48_000
        return 0.4 * Math.sin(phase) + 0.9 * Math.sin(4 * phase + 1) + 0.8 * Math.sin(5 * phase)
      })
    }
    const hay = voice(120_000)
    const needle = hay.slice(48_000, 96_000)
    const missed = Array.from({ length: 24 }, (_, shift) => shift).filter(
      (shift) => find(needle, hay.subarray(40_000 + shift)).offsetSamples !== 8_000 - shift
    )
    expect(missed).toEqual([])
  })

  it("reports a sound that is missing", () => {
    expect(find(noise(24_000, 7), noise(200_000, 99)).correlation).toBeLessThan(0.3)
  })
})
