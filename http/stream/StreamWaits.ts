import type { Effect, Fiber } from "effect"
import { Exit } from "effect"
import type { LiveAnswer } from "../../engine/ports/Live.ts"
import type { Exchange } from "../fastpath/Exchange.ts"

interface Waiting {
  readonly fiber: Fiber.Fiber<LiveAnswer>
  readonly exchanges: Set<Exchange>
}

/**
 * Blocked requests for future parts, grouped by part: thousands of players wait for the same one and are answered
 * together. Abandoned waits are dropped.
 */
export class StreamWaits {
  readonly #run: (answer: Effect.Effect<LiveAnswer>) => Fiber.Fiber<LiveAnswer>
  readonly #answer: (exchange: Exchange, exit: Exit.Exit<LiveAnswer>) => void
  readonly #waiting = new Map<string, Waiting>()

  constructor(
    run: (answer: Effect.Effect<LiveAnswer>) => Fiber.Fiber<LiveAnswer>,
    answer: (exchange: Exchange, exit: Exit.Exit<LiveAnswer>) => void
  ) {
    this.#run = run
    this.#answer = answer
  }

  /** `name` groups identical requests; null for a unique one. */
  join(exchange: Exchange, name: string | null, ask: () => Effect.Effect<LiveAnswer>): void {
    const waiting = name === null ? undefined : this.#waiting.get(name)
    if (waiting !== undefined) return this.#enter(exchange, waiting, name)
    const answer = ask()
    // Answers at once if the part exists.
    if (Exit.isExit(answer)) return this.#answer(exchange, answer as Exit.Exit<LiveAnswer>)
    const begun: Waiting = { fiber: this.#run(answer), exchanges: new Set() }
    if (name !== null) this.#waiting.set(name, begun)
    this.#enter(exchange, begun, name)
    begun.fiber.addObserver((exit) => {
      this.#forget(name, begun)
      for (const each of begun.exchanges) this.#answer(each, exit)
    })
  }

  #enter(exchange: Exchange, waiting: Waiting, name: string | null): void {
    waiting.exchanges.add(exchange)
    exchange.onGone(() => {
      if (!waiting.exchanges.delete(exchange) || waiting.exchanges.size > 0) return
      this.#forget(name, waiting)
      waiting.fiber.interruptUnsafe()
    })
  }

  #forget(name: string | null, waiting: Waiting): void {
    if (name !== null && this.#waiting.get(name) === waiting) this.#waiting.delete(name)
  }
}
