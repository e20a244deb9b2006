import { Scheduler } from "effect"
import { backgroundSliceMs } from "../../engine/rules/runtime/limits.ts"

/**
 * Runs background work for `backgroundSliceMs` in each turn of the event loop. Effect's own scheduler runs all waiting tasks in one turn:
 * requests would wait for the removal of thousands of idle actors.
 */
export class PatientScheduler implements Scheduler.Scheduler, Scheduler.SchedulerDispatcher {
  readonly executionMode = "async"
  readonly #usual = new Scheduler.MixedScheduler()
  #waiting: Array<() => void> = []
  #isExpected = false

  shouldYield(fiber: Parameters<Scheduler.Scheduler["shouldYield"]>[0]): boolean {
    return this.#usual.shouldYield(fiber)
  }

  /** One line for all fibers: with one each, all of them would run in the same turn. */
  makeDispatcher(): Scheduler.SchedulerDispatcher {
    return this
  }

  scheduleTask(task: () => void): void {
    this.#waiting.push(task)
    this.#expect()
  }

  flush(): void {
    while (this.#waiting.length > 0) this.#runUntil(Infinity)
  }

  #expect(): void {
    if (this.#isExpected) return
    this.#isExpected = true
    this.#usual.setImmediate(() => {
      this.#isExpected = false
      this.#runUntil(performance.now() + backgroundSliceMs)
    })
  }

  #runUntil(untilMs: number): void {
    const tasks = this.#waiting
    this.#waiting = []
    let next = 0
    try {
      while (next < tasks.length && performance.now() < untilMs) tasks[next++]!()
    } finally {
      if (next < tasks.length) this.#waiting = [...tasks.slice(next), ...this.#waiting]
      if (this.#waiting.length > 0) this.#expect()
    }
  }
}
