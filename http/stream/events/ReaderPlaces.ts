import { ssePerAddressMax } from "../../../engine/rules/http/limits.ts"
import { listenersMax } from "../../../engine/rules/listeners/limits.ts"
import { Busy } from "../../../schema/Problems.ts"

const full = new Busy({
  detail: "The station has reached its limit of event streams. Try again in a moment.",
  retryAfterSec: 10
})
const addressFull = new Busy({
  detail: `Your address holds ${ssePerAddressMax} streams of events already.`,
  retryAfterSec: 30
})

/** Places of readers of event streams. New ones are refused at the limit; existing ones stay. */
export class ReaderPlaces {
  readonly #held = new Map<string, number>()
  #total = 0

  /** Null if it has a place now; otherwise why not. */
  enter(address: string): Busy | null {
    if (this.#total >= listenersMax) return full
    if (this.#countOf(address) >= ssePerAddressMax) return addressFull
    this.#total += 1
    this.#held.set(address, this.#countOf(address) + 1)
    return null
  }

  leave(address: string): void {
    this.#total -= 1
    const left = this.#countOf(address) - 1
    if (left > 0) this.#held.set(address, left)
    else this.#held.delete(address)
  }

  #countOf(address: string): number {
    return this.#held.get(address) ?? 0
  }

  get total(): number {
    return this.#total
  }
}
