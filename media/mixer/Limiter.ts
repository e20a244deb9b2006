import { truePeakMaxDbtp } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { TruePeak } from "./TruePeak.ts"

/** Frames of one step of the mixer. Everything is computed on this grid, counted from the epoch, so block sizes change nothing. */
export const cellFrames = 128
/** Look-ahead of the limiter in cells: 8 ms, longer than any click it has to round off. */
export const limiterCells = 3

/** Half a decibel below the promised peak: the measure's error in the worst noise, and the overshoot of a moving gain. */
const ceiling = 10 ** ((truePeakMaxDbtp - 0.5) / 20)
const releasePerCell = 1 - Math.exp(-cellFrames / sampleRateHz / 0.12)

/**
 * Keeps the bus under −1 dBTP: the gain falls before a peak and rises slowly after it. Takes a cell and returns the one that is
 * `limiterCells` older.
 */
export class Limiter {
  readonly #cells: Array<Float32Array> = []
  readonly #gains: Array<number> = []
  readonly #left = new TruePeak(cellFrames, ceiling)
  readonly #right = new TruePeak(cellFrames, ceiling)
  /** Null before the first cell leaves: a loud beginning starts with its gain already down. */
  #gain: number | null = null

  /** Null until the look-ahead is full. The returned buffer belongs to the caller. */
  push(cell: Float32Array): Float32Array | null {
    const peak = Math.max(this.#left.push(cell, 0), this.#right.push(cell, 1))
    this.#cells.push(cell)
    this.#gains.push(peak > ceiling ? ceiling / peak : 1)
    if (this.#cells.length <= limiterCells) return null
    const out = this.#cells.shift()!
    const [here, next, later, last] = this.#gains as [number, number, number, number]
    const from = this.#gain ?? Math.min(here, next, later, last)
    this.#gains.shift()
    // The last one takes two cells to go down: a steeper slope raises the peaks between samples.
    this.#gain = Math.min(here, next, later, (from + last) / 2, from + (1 - from) * releasePerCell)
    if (from === 1 && this.#gain === 1) return out
    const step = (this.#gain - from) / cellFrames
    for (let frame = 0; frame < cellFrames; frame++) {
      const gain = from + step * (frame + 1)
      out[frame * 2]! *= gain
      out[frame * 2 + 1]! *= gain
    }
    return out
  }
}
