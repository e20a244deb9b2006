import { truePeakMaxDbtp } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { TruePeak } from "./TruePeak.ts"

/** Frames of one step of the mixer. Everything is computed on a grid of these, counted from the epoch: block sizes change nothing. */
export const cellFrames = 128
/** Cells by which the limiter sees ahead: 8 ms, longer than any click it has to round off. */
export const limiterCells = 3

/** Half a decibel below what is promised: what the measure reads low in the worst noise, and what a gain on the move adds. */
const ceiling = 10 ** ((truePeakMaxDbtp - 0.5) / 20)
const releasePerCell = 1 - Math.exp(-cellFrames / sampleRateHz / 0.12)

/**
 * Keeps the bus under −1 dBTP: the gain falls before a peak comes and rises slowly after it. Takes a cell, gives back the
 * one that is `limiterCells` older, in place of a ring of its own.
 */
export class Limiter {
  readonly #cells: Array<Float32Array> = []
  readonly #gains: Array<number> = []
  readonly #left = new TruePeak(cellFrames, ceiling)
  readonly #right = new TruePeak(cellFrames, ceiling)
  /** Null before the first cell leaves: what begins loud begins with its gain already down. */
  #gain: number | null = null

  /** Null until enough has been seen. The buffer given back is the caller's. */
  push(cell: Float32Array): Float32Array | null {
    const peak = Math.max(this.#left.push(cell, 0), this.#right.push(cell, 1))
    this.#cells.push(cell)
    this.#gains.push(peak > ceiling ? ceiling / peak : 1)
    if (this.#cells.length <= limiterCells) return null
    const out = this.#cells.shift()!
    const [here, next, later, last] = this.#gains as [number, number, number, number]
    const from = this.#gain ?? Math.min(here, next, later, last)
    this.#gains.shift()
    // What comes last takes two cells of going down: a steeper way bends what lies between samples.
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
