import { createRequire } from "node:module"
import { setFlagsFromString } from "node:v8"
import { performance } from "node:perf_hooks"
import { runInNewContext } from "node:vm"
import type Koffi from "koffi"
import {
  releaseAboveBytes,
  releaseAfterBurstAboveBytes,
  releaseAfterMs,
  releaseBurstBytes,
  releaseEveryMs,
  releaseIdleLoad,
  releaseLateLooks,
  releaseLoadMax,
  releaseLoadOverUsual,
  releaseQuietLooks,
  releaseUsualLooks
} from "../../engine/rules/http/limits.ts"

/**
 * Returns what the C library keeps of freed memory: it gives back the end of its heap only, and a small piece that is still in use there holds all
 * before it. Does nothing where the library is another than glibc, or koffi isn't installed.
 */
const loadTrim = (): (() => void) => {
  try {
    const koffi = createRequire(import.meta.url)("koffi") as typeof Koffi
    const trim = koffi.load("libc.so.6").func("int malloc_trim(size_t keptBytes)")
    return () => void trim(0)
  } catch {
    return () => undefined
  }
}

/**
 * Collects all garbage and returns empty pages to the system, which V8's other collections keep for later use. It stops
 * this thread for 0.2 to 1.2 s at the station's size, so it is for bursts only.
 */
const collect = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void
  let trim: (() => void) | null = null
  return () => {
    gc({ type: "major", flavor: "last-resort" })
    trim ??= loadTrim()
    trim()
  }
}

/**
 * Returns memory to the system after a burst of work. Node itself waits for a quiet time to do so, and a station on
 * the air is never quiet: without this, what one flood needed stays taken until the next restart.
 */
export class MemoryRelease {
  readonly #rssBytes: () => number
  readonly #load: () => number
  readonly #collect: () => void
  /** A start leaves a third of its memory behind: the first quiet time releases it. */
  #lowestBytes = 0
  #lastMs = Number.NEGATIVE_INFINITY
  /** Whether there was a burst since the last release. */
  #hadBurst = false
  #quietLooks = 0
  #idleLooks = 0
  /** Share of time in which the event loop was busy, at each of the last looks. */
  readonly #loads: Array<number> = []
  #beginMs: number | null = null

  /** `load` is the share of time since the last call that the event loop was busy. */
  constructor(
    options: {
      readonly rssBytes?: () => number
      readonly load?: () => number
      readonly collect?: () => void
    } = {}
  ) {
    let before = performance.eventLoopUtilization()
    this.#rssBytes = options.rssBytes ?? (() => process.memoryUsage.rss())
    this.#load =
      options.load ??
      (() => {
        const now = performance.eventLoopUtilization()
        const { utilization } = performance.eventLoopUtilization(now, before)
        before = now
        return utilization
      })
    this.#collect = options.collect ?? collect()
  }

  /** Whether such a load is a burst, by the usual load of this machine. */
  #isBurst(load: number): boolean {
    const sorted = [...this.#loads].sort((a, b) => a - b)
    const usual = sorted[sorted.length >> 1] ?? 0
    this.#loads.push(load)
    if (this.#loads.length > releaseUsualLooks) this.#loads.shift()
    return load > Math.max(releaseLoadMax, releaseLoadOverUsual * usual)
  }

  /**
   * Call it every few seconds. It releases for the first time `releaseAfterMs` after the first call, and later when memory has grown; after a burst
   * less growth is enough. It waits for several quiet intervals, because one may be a pause between two bursts, and for more of them while there is
   * work. It releases at most every `releaseEveryMs`.
   */
  look(nowMs: number): void {
    const load = this.#load()
    const isBurst = this.#isBurst(load)
    this.#quietLooks = isBurst ? 0 : this.#quietLooks + 1
    this.#idleLooks = load > releaseIdleLoad ? 0 : this.#idleLooks + 1
    this.#beginMs ??= nowMs
    if (nowMs - this.#beginMs < releaseAfterMs) return
    const bytes = this.#rssBytes()
    this.#lowestBytes = Math.min(this.#lowestBytes, bytes)
    this.#hadBurst ||= isBurst || bytes > this.#lowestBytes + releaseBurstBytes
    const aboveBytes = this.#hadBurst ? releaseAfterBurstAboveBytes : releaseAboveBytes
    const isQuiet = this.#idleLooks >= releaseQuietLooks || this.#quietLooks >= releaseLateLooks
    if (!isQuiet || bytes < this.#lowestBytes + aboveBytes) return
    if (nowMs - this.#lastMs < releaseEveryMs) return
    this.#lastMs = nowMs
    this.#hadBurst = false
    this.#collect()
    // What remains is in use: it is the new measure, or a station that grew would collect in vain again and again.
    this.#lowestBytes = this.#rssBytes()
  }
}
