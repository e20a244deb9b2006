import { describe, expect, it } from "vitest"
import { MemoryRelease } from "../../../http/server/MemoryRelease.ts"
import {
  releaseAboveBytes,
  releaseAfterBurstAboveBytes,
  releaseAfterMs,
  releaseBurstBytes,
  releaseEveryMs,
  releaseIdleLoad,
  releaseLateLooks,
  releaseQuietLooks
} from "../../../engine/rules/http/limits.ts"

/** A process with so much in use and so much garbage, which only a collection gives back. It has just started. */
const start = () => {
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
/** As many looks, one after the other, as make a quiet time. */
const waitQuietly = (memory: MemoryRelease, atMs: number) => {
  for (let looks = 0; looks < releaseQuietLooks; looks++) memory.look(atMs)
}
/** It has released what its start left. */
const world = () => {
  const { memory, state } = start()
  memory.look(-releaseEveryMs - releaseAfterMs)
  waitQuietly(memory, -releaseEveryMs)
  expect(state.collections).toBe(1)
  state.collections = 0
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
    for (let looks = 1; looks < releaseQuietLooks; looks++) memory.look(10_000)
    expect(state.collections).toBe(0)
    // A pause between two bursts is no end.
    state.load = 0.9
    memory.look(15_000)
    state.load = 0.1
    for (let looks = 1; looks < releaseQuietLooks; looks++) memory.look(20_000)
    expect(state.collections).toBe(0)
    memory.look(25_000)
    expect([state.collections, state.garbageBytes]).toEqual([1, 0])
    waitQuietly(memory, 30_000)
    expect(state.collections).toBe(1)
  })

  it("waits longer while there is work, because it delays the answers to it", () => {
    const { memory, state } = world()
    Object.assign(state, { garbageBytes: 500e6, load: 0.9 })
    memory.look(0)
    state.load = releaseIdleLoad + 0.01
    for (let looks = 1; looks < releaseLateLooks; looks++) memory.look(5_000)
    expect(state.collections).toBe(0)
    memory.look(10_000)
    expect(state.collections).toBe(1)
  })

  it("follows a small burst once, and not what a quiet station gathers afterwards", () => {
    const { memory, state } = world()
    memory.look(0)
    Object.assign(state, { garbageBytes: releaseAfterBurstAboveBytes, load: 0.9 })
    memory.look(5_000)
    state.load = 0.1
    waitQuietly(memory, 10_000)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes - 1
    for (let atMs = 20_000; atMs < 3 * releaseEveryMs; atMs += 5_000) memory.look(atMs)
    expect(state.collections).toBe(1)
  })

  it("follows a burst that shows in memory alone, or on a machine that is always busy", () => {
    const { memory, state } = world()
    state.garbageBytes = releaseBurstBytes + 1
    waitQuietly(memory, 0)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseBurstBytes + 1
    memory.look(releaseEveryMs / 2)
    // V8 has collected most of it meanwhile.
    state.garbageBytes = releaseAfterBurstAboveBytes
    waitQuietly(memory, releaseEveryMs)
    expect(state.collections).toBe(2)
    const at = (looks: number) => releaseEveryMs + looks * 5_000
    state.load = 0.6
    for (let looks = 1; looks < 100; looks++) memory.look(at(looks))
    expect(state.collections).toBe(2)
    Object.assign(state, { garbageBytes: 100e6, load: 0.95 })
    memory.look(at(100))
    state.load = 0.6
    for (let looks = 1; looks < releaseLateLooks; looks++) memory.look(at(101))
    expect(state.collections).toBe(2)
    memory.look(at(102))
    expect(state.collections).toBe(3)
  })

  it("follows a start once, when the live window is full", () => {
    const { memory, state } = start()
    state.garbageBytes = 100e6
    for (const atMs of [-releaseAfterMs, -10_000, -1]) waitQuietly(memory, atMs)
    expect(state.collections).toBe(0)
    waitQuietly(memory, 0)
    expect([state.collections, state.garbageBytes]).toEqual([1, 0])
    state.garbageBytes = releaseAboveBytes - 1
    waitQuietly(memory, 2 * releaseEveryMs)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes
    waitQuietly(memory, 3 * releaseEveryMs)
    expect(state.collections).toBe(2)
  })

  it("is not repeated for what is in use, nor for a little garbage, nor too often", () => {
    const { memory, state } = world()
    waitQuietly(memory, 0)
    state.usedBytes = 500e6
    for (let atMs = 5_000; atMs < 10 * releaseEveryMs; atMs += 5_000) memory.look(atMs)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes - 1
    waitQuietly(memory, 11 * releaseEveryMs)
    expect(state.collections).toBe(1)
    state.garbageBytes = releaseAboveBytes
    waitQuietly(memory, 12 * releaseEveryMs)
    state.garbageBytes = 500e6
    waitQuietly(memory, 12 * releaseEveryMs + releaseEveryMs / 2)
    expect(state.collections).toBe(2)
    waitQuietly(memory, 13 * releaseEveryMs)
    expect(state.collections).toBe(3)
  })

  it("gives back what a real process no longer uses", () => {
    const memory = new MemoryRelease({ load: () => 0 })
    memory.look(-releaseAfterMs)
    waitQuietly(memory, 0)
    let ballast: Array<Array<number>> | null = Array.from({ length: 300 }, () =>
      Array.from({ length: 100_000 }, Math.random)
    )
    const before = process.memoryUsage.rss()
    expect(ballast).toHaveLength(300)
    ballast = null
    memory.look(releaseEveryMs)
    expect(before - process.memoryUsage.rss()).toBeGreaterThan(64e6)
  })
})
