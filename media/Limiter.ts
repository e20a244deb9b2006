import { truePeakMaxDbtp } from "../engine/Limits.ts"

/** Frames of one step of the mixer. Everything is computed on a grid of these, counted from the epoch: block sizes change nothing. */
export const cellFrames = 128
/** Cells by which the limiter sees ahead: 8 ms, longer than any click it has to round off. */
export const limiterCells = 3

const ceiling = 10 ** ((truePeakMaxDbtp - 0.3) / 20)
/** Below this no inter-sample peak can reach the ceiling: nothing has to be looked at closely. */
const quiet = ceiling * 0.6
const releasePerCell = 1 - Math.exp(-cellFrames / 48_000 / 0.12)

/** Quarter-sample phases of a windowed sinc: what a converter makes of the samples between the samples. */
const taps = 12
const phases = [0.25, 0.5, 0.75].map((shift) => Float32Array.from({ length: taps }, (_, tap) => {
  const x = tap - taps / 2 + 1 - shift
  const window = 0.5 + 0.5 * Math.cos(Math.PI * x / (taps / 2 + 1))
  return (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x)) * window
}))

/** The loudest value of a cell between its samples too; `before` is the cell that precedes it. */
const truePeak = (before: Float32Array, cell: Float32Array): number => {
  let peak = 0
  for (let i = 0; i < cell.length; i++) {
    const value = Math.abs(cell[i]!)
    if (value > peak) peak = value
  }
  if (peak < quiet) return peak
  for (let channel = 0; channel < 2; channel++) {
    for (let frame = 0; frame < cellFrames; frame++) {
      for (const phase of phases) {
        let sum = 0
        for (let tap = 0; tap < taps; tap++) {
          const at = frame - taps + 1 + tap
          sum += phase[taps - 1 - tap]! * (at < 0 ? before[(at + cellFrames) * 2 + channel]! : cell[at * 2 + channel]!)
        }
        if (sum > peak) peak = sum
        else if (-sum > peak) peak = -sum
      }
    }
  }
  return peak
}

/**
 * Keeps the bus under −1 dBTP: the gain falls before a peak comes and rises slowly after it. Takes a cell, gives back the
 * one that is `limiterCells` older, in place of a ring of its own.
 */
export class Limiter {
  readonly #cells: Array<Float32Array> = []
  readonly #gains: Array<number> = []
  #before = new Float32Array(cellFrames * 2)
  #gain = 1

  /** Null until enough has been seen. The buffer given back is the caller's. */
  push(cell: Float32Array): Float32Array | null {
    const peak = truePeak(this.#before, cell)
    this.#before = cell.slice()
    this.#cells.push(cell)
    this.#gains.push(peak > ceiling ? ceiling / peak : 1)
    if (this.#cells.length <= limiterCells) return null
    const out = this.#cells.shift()!
    const from = this.#gain
    const held = Math.min(...this.#gains)
    this.#gains.shift()
    this.#gain = Math.min(held, from + (1 - from) * releasePerCell)
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
