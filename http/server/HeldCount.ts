/** Counts per address; entries at zero are removed. */
export class HeldCount {
  readonly #counts = new Map<string, number>()

  of(address: string): number {
    return this.#counts.get(address) ?? 0
  }

  change(address: string, by: 1 | -1): void {
    const left = this.of(address) + by
    if (left === 0) this.#counts.delete(address)
    else this.#counts.set(address, left)
  }
}
