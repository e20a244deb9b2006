/** Counts per address; entries at zero are removed. */
export class HeldCount {
  readonly #counts = new Map<string, number>()

  countOf(address: string): number {
    return this.#counts.get(address) ?? 0
  }

  change(address: string, by: 1 | -1): void {
    const left = this.countOf(address) + by
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }
}
