import { scheduler } from "node:timers/promises"
import { connectionsFirstMaxMs, startWaitMaxMs, startsTogether, startTurnMs } from "../../engine/rules/http/limits.ts"

const runNextTurn = (run: () => void): void => void scheduler.yield().then(run)

interface Waiting {
  readonly sinceMs: number
  readonly start: () => void
  readonly refuse: () => void
}

/**
 * Decides when requests start, so that under load the station finishes requests before it starts others, and serves addresses in turn. A turn of the
 * event loop accepts one connection and takes each running request one step further. If every request that arrives started at once, a turn would grow
 * with their number: connections of new listeners would wait for seconds, and transactions would hold their database connections as long.
 */
export class StartQueue {
  readonly #nowMs: () => number
  readonly #nextTurn: (run: () => void) => void
  /** First come, first served at each address. The order of the addresses is that of their turns. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  /** Whether a turn has begun and its end is awaited. */
  #isInTurn = false
  #beganMs = 0
  #started = 0
  #hasAccepted = false
  /** How long starts may still be put off for connections. */
  #connectionsFirstMs = connectionsFirstMaxMs
  #longestWaitMs = 0

  /** `nowMs` is a monotonic clock; `nextTurn` runs a function after the current turn of the event loop. */
  constructor(nowMs: () => number, nextTurn: (run: () => void) => void = runNextTurn) {
    this.#nowMs = nowMs
    this.#nextTurn = nextTurn
  }

  /** The longest wait of a request since the last call, in ms. */
  takeLongestWaitMs(): number {
    const nowMs = this.#nowMs()
    const waits = [...this.#waiting.values()].map(([first]) => nowMs - first!.sinceMs)
    const longest = Math.max(this.#longestWaitMs, ...waits)
    this.#longestWaitMs = 0
    return longest
  }

  /** A connection was accepted; there may be more. The loop accepts one in a turn, so turns are kept short until it accepts none. */
  noteConnection(): void {
    this.#hasAccepted = true
    this.#enterTurn()
  }

  /**
   * Starts a request of this address at the end of this turn, or when its own comes; `refuse` is called instead if that takes too long. Requests that
   * start together send what they ask of the database in one write.
   */
  run(address: string, start: () => void, refuse: () => void): void {
    this.#enterTurn()
    const others = this.#waiting.get(address)
    const one = { sinceMs: this.#nowMs(), start, refuse }
    if (others === undefined) this.#waiting.set(address, [one])
    else others.push(one)
  }

  /** The first few starts of a turn share a write to the database; more fit in while the turn is short. */
  #hasRoom(nowMs: number): boolean {
    return this.#started < startsTogether || nowMs - this.#beganMs < startTurnMs
  }

  #enterTurn(): void {
    if (this.#isInTurn) return
    this.#isInTurn = true
    this.#beganMs = this.#nowMs()
    this.#started = 0
    this.#nextTurn(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    const tookMs = this.#nowMs() - this.#beganMs
    const isPutOff = this.#hasAccepted && this.#connectionsFirstMs > 0
    // Connections get half of the time at most.
    this.#connectionsFirstMs = Math.min(connectionsFirstMaxMs, this.#connectionsFirstMs + (isPutOff ? -tookMs : tookMs))
    this.#hasAccepted = false
    if (!isPutOff) this.#startWaiting()
    this.#isInTurn = false
    if (this.#waiting.size > 0) this.#enterTurn()
  }

  #startWaiting(): void {
    for (const [address, waiting] of this.#waiting) {
      const nowMs = this.#nowMs()
      if (!this.#hasRoom(nowMs)) return
      this.#waiting.delete(address)
      const { refuse, sinceMs, start } = waiting.shift()!
      // Behind all others that wait.
      if (waiting.length > 0) this.#waiting.set(address, waiting)
      this.#longestWaitMs = Math.max(this.#longestWaitMs, nowMs - sinceMs)
      if (nowMs - sinceMs > startWaitMaxMs) {
        refuse()
        continue
      }
      this.#started += 1
      start()
    }
  }
}
