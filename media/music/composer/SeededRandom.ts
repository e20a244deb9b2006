/** All chance of a composition comes from its seed: the same seed rolls the same dice on every machine. */
export class SeededRandom {
  private state: number

  constructor(seed: number) {
    // Seeds are often small and close together: mixing tells 1 from 2 at the first roll.
    this.state = Math.imul((seed | 0) ^ 0x9e3779b9, 0x85ebca6b) ^ Math.floor(seed / 0x1_0000_0000)
    this.drawUnit()
    this.drawUnit()
  }

  /** At least 0, less than 1. */
  drawUnit(): number {
    this.state = (this.state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }

  drawBetween(low: number, high: number): number {
    return low + (high - low) * this.drawUnit()
  }

  drawBelow(below: number): number {
    return Math.floor(this.drawUnit() * below)
  }

  isUnder(probability: number): boolean {
    return this.drawUnit() < probability
  }

  pick<A>(from: ReadonlyArray<A>): A {
    return from[this.drawBelow(from.length)]!
  }

  /** Dice of their own for one aspect, so that a change to the drums leaves the melody as it was. */
  branch(name: string): SeededRandom {
    let hash = this.state
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
    return new SeededRandom(hash)
  }
}
