import { setFlagsFromString } from "node:v8"
import { describe, expect, it } from "vitest"
import { MemoryRelease } from "../../../http/server/MemoryRelease.ts"
import {
  releaseLoadMax,
  releaseLoadMin,
  releaseLoadOverUsual,
  releaseQuietLooks,
  releaseTrimLooks,
  releaseUsualLooks
} from "../../../engine/rules/http/limits.ts"

const world = () => {
  const state = { load: releaseLoadMin, isMemoryFavoured: false, switches: 0, trims: 0 }
  const memory = new MemoryRelease({
    load: () => state.load,
    favourMemory: (isFavoured) => {
      state.isMemoryFavoured = isFavoured
      state.switches++
    },
    trim: () => void state.trims++
  })
  /** So many looks, all with this load. */
  const look = (looks: number, load: number) => {
    state.load = load
    for (let look = 0; look < looks; look++) memory.look()
    return state.isMemoryFavoured
  }
  return { look, state }
}

describe("the release of memory", () => {
  it("begins when it has been quiet for some time, and ends with the next burst", () => {
    const { look, state } = world()
    expect(look(releaseQuietLooks - 1, releaseLoadMin)).toBe(false)
    // A pause between two bursts is no quiet time.
    expect(look(1, 0.9)).toBe(false)
    expect(look(releaseQuietLooks - 1, releaseLoadMin)).toBe(false)
    expect(look(1, releaseLoadMin)).toBe(true)
    expect(look(100, 0)).toBe(true)
    expect(look(1, releaseLoadMin + 0.01)).toBe(false)
    expect(state.switches).toBe(2)
  })

  it("returns what the C library keeps, now and then, while it is quiet", () => {
    const { look, state } = world()
    look(4 * releaseTrimLooks, 0.1)
    expect(state.trims).toBe(4)
    look(4 * releaseTrimLooks, 0.9)
    expect(state.trims).toBe(4)
  })

  it("goes by the usual load of a slow machine", () => {
    const { look } = world()
    const usual = 0.5
    expect(look(releaseUsualLooks, usual)).toBe(true)
    expect(look(1, releaseLoadOverUsual * usual + 0.01)).toBe(false)
    expect(look(releaseQuietLooks, releaseLoadOverUsual * usual)).toBe(true)
  })

  it("never takes a flood for quiet, however long it lasts", () => {
    const { look } = world()
    expect(look(2 * releaseUsualLooks, releaseLoadMax + 0.01)).toBe(false)
  })

  it("gives back what a real process no longer uses", { timeout: 60_000 }, async () => {
    const memory = new MemoryRelease({ load: () => 0 })
    let ballast: Array<Array<number>> | null = Array.from({ length: 300 }, () =>
      Array.from({ length: 100_000 }, Math.random)
    )
    const before = process.memoryUsage.rss()
    expect(ballast).toHaveLength(300)
    ballast = null
    try {
      for (let looks = 0; looks < releaseQuietLooks; looks++) memory.look()
      // V8 looks every eight seconds whether there is something to collect. By itself it leaves a process alone that makes garbage all the time.
      const made: Array<Array<number>> = []
      while (before - process.memoryUsage.rss() < 64e6) {
        made[0] = Array.from({ length: 20_000 }, Math.random)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    } finally {
      setFlagsFromString("--no-optimize-for-size")
    }
  })
})
