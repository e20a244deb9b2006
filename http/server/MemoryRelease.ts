import { setFlagsFromString } from "node:v8"
import { performance } from "node:perf_hooks"
import { runInNewContext } from "node:vm"
import { releaseAboveBytes, releaseEveryMs, releaseLoadMax } from "../../engine/rules/http/limits.ts"

/**
 * Collects all garbage and returns empty pages to the system, which V8's other collections keep for later use. It stops
 * this thread for 200 to 500 ms at the station's size.
 */
const collect = (): (() => void) => {
  setFlagsFromString("--expose-gc")
  const gc = runInNewContext("gc") as (options: { readonly type: "major"; readonly flavor: "last-resort" }) => void
  return () => gc({ type: "major", flavor: "last-resort" })
}

/**
 * Returns memory to the system after a burst of work. Node itself waits for a quiet time to do so, and a station on
 * the air is never quiet: without this, what one flood needed stays taken until the next restart.
 */
export class MemoryRelease {
  readonly #rssBytes: () => number
  readonly #load: () => number
  readonly #collect: () => void
  #lowestBytes = Number.POSITIVE_INFINITY
  #lastMs = Number.NEGATIVE_INFINITY

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

  /** Call it every few seconds. Releases only in a quiet interval, and at most every `releaseEveryMs`. */
  look(nowMs: number): void {
    const isBusy = this.#load() > releaseLoadMax
    const bytes = this.#rssBytes()
    this.#lowestBytes = Math.min(this.#lowestBytes, bytes)
    if (isBusy || bytes < this.#lowestBytes + releaseAboveBytes || nowMs - this.#lastMs < releaseEveryMs) return
    this.#lastMs = nowMs
    this.#collect()
    // What remains is in use: it is the new measure, or a station that grew would collect in vain again and again.
    this.#lowestBytes = this.#rssBytes()
  }
}
