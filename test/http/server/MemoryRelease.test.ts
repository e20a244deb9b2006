import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { MemoryRelease } from "../../../http/server/MemoryRelease.ts"
import {
  releaseAboveBytes,
  releaseLoadMax,
  releaseLoadMin,
  releaseLoadOverUsual,
  releaseLooks,
  releaseQuietLooks,
  releaseUsualLooks
} from "../../../engine/rules/http/limits.ts"

/** A station with so much in use, and so much that a release gives back. */
const world = () => {
  const state = { usedBytes: 300e6, freeBytes: 200e6, load: 0, isMemoryFavoured: false, releases: 0, trims: 0 }
  const memory = new MemoryRelease({
    rssBytes: () => state.usedBytes + state.freeBytes,
    load: () => state.load,
    favourMemory: (isFavoured) => {
      state.isMemoryFavoured = isFavoured
      if (isFavoured) state.releases++
    },
    trim: () => {
      state.trims++
      state.freeBytes = 0
    }
  })
  /** So many looks, all with this load. Answers whether V8 favours memory now. */
  const look = (looks: number, load: number) => {
    state.load = load
    for (let look = 0; look < looks; look++) memory.look()
    return state.isMemoryFavoured
  }
  return { look, state }
}

describe("the release of memory", () => {
  it("begins when it has been quiet for some time, and lasts for a while", () => {
    const { look, state } = world()
    expect(look(releaseQuietLooks - 1, releaseLoadMin)).toBe(false)
    // A pause between two bursts is no quiet time.
    expect(look(1, 0.9)).toBe(false)
    expect(look(releaseQuietLooks - 1, releaseLoadMin)).toBe(false)
    expect(look(1, releaseLoadMin)).toBe(true)
    expect(look(releaseLooks - 1, releaseLoadMin)).toBe(true)
    expect(look(1, releaseLoadMin)).toBe(false)
    expect([state.releases, state.trims, state.freeBytes]).toEqual([1, 1, 0])
  })

  it("ends with the next burst, and begins again after it", () => {
    const { look, state } = world()
    expect(look(releaseQuietLooks, 0)).toBe(true)
    expect(look(1, 0.9)).toBe(false)
    expect([state.releases, state.trims]).toEqual([1, 0])
    look(releaseQuietLooks + releaseLooks, 0)
    expect([state.releases, state.trims]).toEqual([2, 1])
  })

  it("follows when memory has grown, and not for what is in use", () => {
    const { look, state } = world()
    look(releaseQuietLooks + releaseLooks, 0)
    state.freeBytes = releaseAboveBytes - 1
    expect(look(100, 0)).toBe(false)
    state.freeBytes = releaseAboveBytes
    expect(look(1, 0)).toBe(true)
    look(releaseLooks, 0)
    state.usedBytes += 2 * releaseAboveBytes
    look(100, 0)
    expect([state.releases, state.trims]).toEqual([3, 3])
    // What was in use may be given up without a release.
    state.usedBytes -= releaseAboveBytes
    look(1, 0)
    state.usedBytes += releaseAboveBytes
    expect(look(1, 0)).toBe(true)
  })

  it("goes by the usual load of a slow machine", () => {
    const { look, state } = world()
    const usual = 0.5
    look(releaseUsualLooks, usual)
    expect(state.releases).toBe(1)
    state.freeBytes = 200e6
    expect(look(releaseUsualLooks / 4, releaseLoadOverUsual * usual + 0.01)).toBe(false)
    look(releaseQuietLooks, releaseLoadOverUsual * usual)
    expect(state.releases).toBe(2)
  })

  it("never takes a flood for quiet, however long it lasts", () => {
    const { look } = world()
    expect(look(2 * releaseUsualLooks, releaseLoadMax + 0.01)).toBe(false)
  })

  // In a process of its own: the memory of the one with the tests grows and falls with each of them.
  it("gives back what a real process no longer uses", async () => {
    const source = (path: string) => new URL(`../../../${path}`, import.meta.url).href
    const program = `
import { MemoryRelease } from "${source("http/server/MemoryRelease.ts")}"
import { releaseQuietLooks } from "${source("engine/rules/http/limits.ts")}"
const memory = new MemoryRelease({ load: () => 0 })
let ballast = Array.from({ length: 300 }, () => Array.from({ length: 100_000 }, Math.random))
const before = process.memoryUsage.rss()
console.log(ballast.length)
ballast = null
for (let looks = 0; looks < releaseQuietLooks; looks++) memory.look()
// Of itself, V8 collects nothing while a process keeps making garbage, as this one does.
const made = []
while (before - process.memoryUsage.rss() < 64e6) {
  made[0] = Array.from({ length: 20_000 }, Math.random)
  await new Promise((resolve) => setTimeout(resolve, 10))
}
console.log("released")`
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", program], {
      timeout: 290_000
    })
    expect(stdout).toBe("300\nreleased\n")
  })
})
