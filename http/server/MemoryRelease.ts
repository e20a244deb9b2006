import { createRequire } from "node:module"
import { setFlagsFromString } from "node:v8"
import { performance } from "node:perf_hooks"
import type Koffi from "koffi"
import {
  releaseAboveBytes,
  releaseLoadMax,
  releaseLoadMin,
  releaseLoadOverUsual,
  releaseLooks,
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
 * Whether V8 favours memory over speed. Then it soon collects garbage a bit at a time, returns the empty pages, and lets its heap grow by little.
 * To collect everything at once would stop this thread for 0.2 to 1.2 s at the station's size.
 */
const favourMemory = (isFavoured: boolean): void =>
  setFlagsFromString(isFavoured ? "--optimize-for-size" : "--no-optimize-for-size")

/**
 * Returns the memory that a burst of work took, and now and then what gathers in quiet times. Node itself does so only while nothing at all is asked of
 * it, and a station on the air is always at work: without this, what one flood needed stays taken until the next restart.
 */
export class MemoryRelease {
  readonly #rssBytes: () => number
  readonly #load: () => number
  readonly #favourMemory: (isFavoured: boolean) => void
  readonly #loadTrim: () => () => void
  #trim: (() => void) | null = null
  /** The least since the last release. A start leaves a third of its memory behind: the first quiet time releases it. */
  #lowestBytes = 0
  /** Looks since a release has begun; null between two of them. */
  #releaseLooks: number | null = null
  #quietLooks = 0
  /** Share of time in which the event loop was busy, at each of the last looks. */
  readonly #loads: Array<number> = []

  /** `load` is the share of time since the last call that the event loop was busy. */
  constructor(
    options: {
      readonly rssBytes?: () => number
      readonly load?: () => number
      readonly favourMemory?: (isFavoured: boolean) => void
      readonly trim?: () => void
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
    this.#favourMemory = options.favourMemory ?? favourMemory
    const { trim } = options
    this.#loadTrim = trim === undefined ? loadTrim : () => trim
  }

  /** Whether little is asked of the station with such a load, by the usual load of this machine. */
  #isQuiet(load: number): boolean {
    const sorted = [...this.#loads].sort((a, b) => a - b)
    const usual = sorted[sorted.length >> 1] ?? 0
    this.#loads.push(load)
    if (this.#loads.length > releaseUsualLooks) this.#loads.shift()
    return load <= Math.min(releaseLoadMax, Math.max(releaseLoadMin, releaseLoadOverUsual * usual))
  }

  /**
   * Call it every few seconds. When memory has grown, a release begins after several quiet intervals in a row, because one may be a pause between two
   * bursts. It lasts for some intervals, and ends early when the next burst begins: that needs a heap that grows fast.
   */
  look(): void {
    const isQuiet = this.#isQuiet(this.#load())
    this.#quietLooks = isQuiet ? this.#quietLooks + 1 : 0
    if (this.#releaseLooks === null) {
      const bytes = this.#rssBytes()
      this.#lowestBytes = Math.min(this.#lowestBytes, bytes)
      if (this.#quietLooks < releaseQuietLooks || bytes < this.#lowestBytes + releaseAboveBytes) return
      this.#releaseLooks = 0
      return this.#favourMemory(true)
    }
    if (isQuiet && ++this.#releaseLooks < releaseLooks) return
    this.#releaseLooks = null
    this.#favourMemory(false)
    if (!isQuiet) return
    this.#trim ??= this.#loadTrim()
    this.#trim()
    // What remains is in use: it is the new measure, or a station that grew would collect in vain again and again.
    this.#lowestBytes = this.#rssBytes()
  }
}
