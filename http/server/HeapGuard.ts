import { Effect, Metric } from "effect"
import { getHeapStatistics } from "node:v8"
import { heapCheckMs, heapShareMax } from "../../engine/rules/http/limits.ts"

const usedShare = Metric.gauge("http_heap_share", {
  description: "used share of the heap that the main thread may have"
})

/** Node ends a process whose heap is full. Before that the API refuses work, so that the stream stays. */
export class HeapGuard {
  readonly #monotonicMs: () => number
  #lookedMs = Number.NEGATIVE_INFINITY
  #share = 0
  #wasFull = false

  constructor(monotonicMs: () => number) {
    this.#monotonicMs = monotonicMs
  }

  get isFull(): boolean {
    const nowMs = this.#monotonicMs()
    if (nowMs - this.#lookedMs >= heapCheckMs) {
      const { heap_size_limit, used_heap_size } = getHeapStatistics()
      this.#lookedMs = nowMs
      this.#share = used_heap_size / heap_size_limit
    }
    return this.#share > heapShareMax
  }

  /** Reports the share, and to operators once when the heap becomes full. */
  get report(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const was = this.#wasFull
      this.#wasFull = this.isFull
      return Effect.andThen(
        Metric.update(usedShare, this.#share),
        this.#wasFull && !was
          ? Effect.logError(
              `alert: memory: ${Math.round(this.#share * 100)} % of the heap are used: the API refuses requests until there is room.`
            )
          : Effect.void
      )
    })
  }
}
