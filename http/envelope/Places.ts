import { HeldCount } from "../server/HeldCount.ts"

/** A bounded number of places, with a smaller bound for each address. */
export class Places {
  readonly #held = new HeldCount()
  readonly #max: number
  readonly #perAddressMax: number
  #taken = 0

  constructor(max: number, perAddressMax: number) {
    this.#max = max
    this.#perAddressMax = Math.max(1, Math.min(max, Math.floor(perAddressMax)))
  }

  /** Takes a place: returns null, or the bound that refused it. */
  take(address: string): "address" | "all" | null {
    if (this.#taken >= this.#max) return "all"
    if (this.#held.countOf(address) >= this.#perAddressMax) return "address"
    this.#taken += 1
    this.#held.change(address, 1)
    return null
  }

  leave(address: string): void {
    this.#taken -= 1
    this.#held.change(address, -1)
  }
}
