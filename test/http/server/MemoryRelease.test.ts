import { describe, expect, it } from "vitest"
import { MemoryRelease } from "../../../http/server/MemoryRelease.ts"
import { releaseAboveBytes, releaseEveryMs } from "../../../engine/rules/http/limits.ts"

/** A process with so much in use and so much garbage, which only a collection gives back. */
const world = () => {
  const state = { usedBytes: 300e6, garbageBytes: 0, load: 0.1, collections: 0 }
  const memory = new MemoryRelease({
    rssBytes: () => state.usedBytes + state.garbageBytes,
    load: () => state.load,
    collect: () => {
      state.collections++
      state.garbageBytes = 0
    }
  })
  return { memory, state }
}

describe("the release of memory", () => {
  it("follows a burst, once it is quiet again", () => {
    const { memory, state } = world()
    memory.look(0)
    Object.assign(state, { garbageBytes: 500e6, load: 0.9 })
    memory.look(5_000)
    expect(state.collections).toBe(0)
    state.load = 0.1
    memory.look(10_000)
    expect([state.collections, state.garbageBytes]).toEqual([1, 0])
    memory.look(15_000)
    expect(state.collections).toBe(1)
  })

  it("is not repeated for what is in use, nor for a little garbage, nor too often", () => {
    const { memory, state } = world()
    memory.look(0)
    state.usedBytes = 500e6
    for (let atMs = 5_000; atMs < 10 * releaseEveryMs; atMs += 5_000) memory.look(atMs)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes - 1
    memory.look(11 * releaseEveryMs)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes
    memory.look(12 * releaseEveryMs)
    state.garbageBytes = 500e6
    memory.look(12 * releaseEveryMs + releaseEveryMs / 2)
    expect(state.collections).toBe(2)
    memory.look(13 * releaseEveryMs)
    expect(state.collections).toBe(3)
  })

  it("gives back what a real process no longer uses", () => {
    const memory = new MemoryRelease({ load: () => 0 })
    memory.look(0)
    let ballast: Array<Array<number>> | null = Array.from({ length: 200 }, () =>
      Array.from({ length: 100_000 }, Math.random)
    )
    const before = process.memoryUsage.rss()
    expect(ballast).toHaveLength(200)
    ballast = null
    memory.look(releaseEveryMs)
    expect(before - process.memoryUsage.rss()).toBeGreaterThan(64e6)
  })
})
