import { scheduler } from "node:timers/promises"
import { connectionsFirstMaxMs, startWaitMaxMs, startsTogether, startTurnMs } from "../../engine/rules/http/limits.ts"

const runNextTurn = (run: () => void): void => void scheduler.yield().then(run)

/** A request that may start. One of `start` and `refuse` is called, once, unless its client leaves before. */
export interface Startable {
  /** Whether somebody still waits for the answer. */
  readonly isAwaited: () => boolean
  readonly start: () => void
  readonly refuse: () => void
}

interface Waiting {
  readonly request: Startable
  readonly sinceMs: number
}

/**
 * Decides when requests start, so that under load the station finishes requests before it starts others, and serves addresses one after the other. A
 * turn of the event loop accepts one connection and takes each running request one step further. If every request that arrives started at once, a
 * turn would grow with their number: connections of new listeners would wait for seconds, and transactions would hold their database connections as
 * long.
 */
export class StartQueue {
  readonly #nowMs: () => number
  readonly #nextTurn: (run: () => void) => void
  /** First come, first served at each address. The order of the addresses is the order in which they are served. */
  readonly #waiting = new Map<string, Array<Waiting>>()
  /** Whether a turn has begun and its end is awaited. */
  #isInTurn = false
  #beganMs = 0
  #hasAccepted = false
  /** How long starts may still be put off for connections. */
  #connectionsFirstMs = connectionsFirstMaxMs
  #longestWaitMs = 0

  /** `nowMs` is a monotonic clock; `nextTurn` runs a function after the current turn of the event loop. */
  constructor(nowMs: () => number, nextTurn: (run: () => void) => void = runNextTurn) {
    this.#nowMs = nowMs
    this.#nextTurn = nextTurn
  }

  /** The longest wait of a request since the last call, in ms. Also removes the requests that nobody awaits. */
  takeLongestWaitMs(): number {
    const nowMs = this.#nowMs()
    let longestMs = this.#longestWaitMs
    this.#longestWaitMs = 0
    for (const [address, waiting] of this.#waiting) {
      const awaited = waiting.filter(({ request }) => request.isAwaited())
      if (awaited.length === 0) {
        this.#waiting.delete(address)
        continue
      }
      waiting.splice(0, waiting.length, ...awaited)
      longestMs = Math.max(longestMs, nowMs - awaited[0]!.sinceMs)
    }
    return longestMs
  }

  /** A connection was accepted; there may be more. The loop accepts one in a turn, so turns are kept short until it accepts none. */
  noteConnection(): void {
    this.#hasAccepted = true
    this.#enterTurn()
  }

  /**
   * Starts the request at the end of this turn of the event loop, or later, when its address is next. Refuses it if it has waited too long. Requests
   * that start together send what they ask of the database in one write.
   */
  add(address: string, request: Startable): void {
    this.#enterTurn()
    const others = this.#waiting.get(address)
    const one = { request, sinceMs: this.#nowMs() }
    if (others === undefined) this.#waiting.set(address, [one])
    else others.push(one)
  }

  #enterTurn(): void {
    if (this.#isInTurn) return
    this.#isInTurn = true
    this.#beganMs = this.#nowMs()
    this.#nextTurn(this.#endTurn)
  }

  readonly #endTurn = (): void => {
    const isPutOff = this.#hasAccepted && this.#connectionsFirstMs > 0 && this.#waiting.size > 0
    this.#hasAccepted = false
    try {
      if (!isPutOff) this.#startWaiting()
    } finally {
      // Connections get half of the time at most.
      const tookMs = this.#nowMs() - this.#beganMs
      this.#connectionsFirstMs = Math.min(
        connectionsFirstMaxMs,
        this.#connectionsFirstMs + (isPutOff ? -tookMs : tookMs)
      )
      this.#isInTurn = false
      if (this.#waiting.size > 0) this.#enterTurn()
    }
  }

  /** Starts a few requests, which share a write to the database, and more while the turn is short. */
  #startWaiting(): void {
    let started = 0
    for (const [address, waiting] of this.#waiting) {
      if (started >= startsTogether && this.#nowMs() - this.#beganMs >= startTurnMs) return
      this.#waiting.delete(address)
      const request = this.#takeStartable(waiting)
      // Behind all other addresses.
      if (waiting.length > 0) this.#waiting.set(address, waiting)
      if (request === null) continue
      started += 1
      request.start()
    }
  }

  /** The next request that is to start. Those before it that nobody awaits are dropped, and those that have waited too long are refused. */
  #takeStartable(waiting: Array<Waiting>): Startable | null {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { request, sinceMs } = next
      if (!request.isAwaited()) continue
      const waitedMs = this.#nowMs() - sinceMs
      this.#longestWaitMs = Math.max(this.#longestWaitMs, waitedMs)
      if (waitedMs <= startWaitMaxMs) return request
      request.refuse()
    }
    return null
  }
}
