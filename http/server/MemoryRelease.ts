import { createRequire } from "node:module"
import { setFlagsFromString } from "node:v8"
import { performance } from "node:perf_hooks"
import type Koffi from "koffi"
import {
  releaseLoadMax,
  releaseLoadMin,
  releaseLoadOverUsual,
  releaseQuietLooks,
  releaseTrimLooks,
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
 * Keeps the memory of a quiet station small, and returns what a burst of work took. Node itself does so in a quiet time only, and a station on the
 * air is never quiet: without this, what one flood needed stays taken until the next restart.
 */
export class MemoryRelease {
  readonly #load: () => number
  readonly #favourMemory: (isFavoured: boolean) => void
  readonly #loadTrim: () => () => void
  #trim: (() => void) | null = null
  #isMemoryFavoured = false
  #quietLooks = 0
  /** Share of time in which the event loop was busy, at each of the last looks. */
  readonly #loads: Array<number> = []

  /** `load` is the share of time since the last call that the event loop was busy. */
  constructor(
    options: {
      readonly load?: () => number
      readonly favourMemory?: (isFavoured: boolean) => void
      readonly trim?: () => void
    } = {}
  ) {
    let before = performance.eventLoopUtilization()
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
   * Call it every few seconds. V8 favours memory after several quiet intervals in a row, because one may be a pause between two bursts, and speed again
   * after the first one that isn't quiet.
   */
  look(): void {
    this.#quietLooks = this.#isQuiet(this.#load()) ? this.#quietLooks + 1 : 0
    const isMemoryFavoured = this.#quietLooks >= releaseQuietLooks
    if (isMemoryFavoured !== this.#isMemoryFavoured) this.#favourMemory(isMemoryFavoured)
    this.#isMemoryFavoured = isMemoryFavoured
    if (!isMemoryFavoured || this.#quietLooks % releaseTrimLooks !== 0) return
    this.#trim ??= this.#loadTrim()
    this.#trim()
  }
}
