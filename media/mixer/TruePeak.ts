/**
 * Quarter-sample phases of a windowed sinc, for the signal between the samples. With the 12 taps of BS.1770 it reads 1 dB low at 20 kHz
 * and 2 dB in noise; with these 48 half a decibel in the worst noise.
 */
const reach = 24
const windowShape = 3

/** The modified Bessel function of order 0, for Kaiser's window. */
const bessel = (x: number): number => {
  let sum = 1
  let term = 1
  for (let n = 1; n < 30; n++) sum += term *= (x / 2 / n) ** 2
  return sum
}

/** The weight of a sample that lies `x` samples away. */
const weight = (x: number): number =>
  ((Math.sin(Math.PI * x) / (Math.PI * x)) * bessel(windowShape * Math.sqrt(1 - (x / reach) ** 2))) /
  bessel(windowShape)

const tabulate = (value: (distance: number) => number) =>
  Float64Array.from({ length: reach }, (_, distance) => value(distance))
/** The point in the middle sees both sides alike; those a quarter before and after it are each other's mirror. */
const middle = tabulate((distance) => weight(distance + 0.5))
const alike = tabulate((distance) => (weight(distance + 0.25) + weight(distance + 0.75)) / 2)
const apart = tabulate((distance) => (weight(distance + 0.25) - weight(distance + 0.75)) / 2)

/**
 * Bound on how far a point between two samples can lie outside them: a weighted sum of second differences, and the deviation of the
 * weights from a straight line. Slow signals bend little, so most samples need no more.
 */
const bounds = [0.25, 0.5, 0.75].map((shift) => {
  const rest = Float64Array.from(
    { length: 2 * reach },
    (_, tap) => weight(tap - reach + 1 - shift) - (tap === reach - 1 ? 1 - shift : tap === reach ? shift : 0)
  )
  const level = rest.reduce((sum, each) => sum + each, 0)
  rest[reach]! -= level
  let sum = 0
  const steps = rest.map((each) => (sum += each))
  const slope = steps.reduce((all, each) => all + each, 0)
  steps[reach]! -= slope
  sum = 0
  return {
    perPeak: Math.abs(level),
    perStep: Math.abs(slope),
    perBend: steps.reduce((all, each) => all + Math.abs((sum += each)), 0)
  }
})
const perPeak = Math.max(...bounds.map((bound) => bound.perPeak))
const perStep = Math.max(...bounds.map((bound) => bound.perStep))
const perBend = Math.max(...bounds.map((bound) => bound.perBend))

/** Peak of the parabola through three points, of which the middle one is the highest. */
const top = (before: number, here: number, after: number): number => {
  const bend = 2 * here - before - after
  return bend > 0 ? here + (after - before) ** 2 / (8 * bend) : here
}

const findHighest = (a: number, b: number, c: number, d: number, e: number): number =>
  c >= b && c >= d ? top(b, c, d) : b >= d ? (b >= a ? top(a, b, c) : a) : d >= e ? top(c, d, e) : e

/** Peak of each cell of one channel, including points between samples. Values up to `floor` needn't be exact. */
export class TruePeak {
  readonly #frames: Float64Array
  readonly #floor: number

  constructor(cellFrames: number, floor: number) {
    this.#frames = new Float64Array(2 * reach - 1 + cellFrames)
    this.#floor = floor
  }

  /** `cell` is interleaved stereo. */
  push(cell: Float32Array, channel: number): number {
    const frames = this.#frames
    const count = frames.length - 2 * reach + 1
    frames.copyWithin(0, count)
    for (let frame = 0; frame < count; frame++) frames[2 * reach - 1 + frame] = cell[frame * 2 + channel]!
    let peak = 0
    let step = 0
    let bend = 0
    let last = frames[0]!
    let lastMove = frames[1]! - last
    for (let at = 0; at < frames.length; at++) {
      const value = frames[at]!
      const move = value - last
      peak = Math.max(peak, Math.abs(value))
      step = Math.max(step, Math.abs(move))
      bend = Math.max(bend, Math.abs(move - lastMove))
      last = value
      lastMove = move
    }
    const beyond = perBend * bend + perStep * step + perPeak * peak
    if (peak + beyond <= this.#floor) return peak
    for (let at = reach - 1; at < count + reach - 1; at++) {
      const here = frames[at]!
      const next = frames[at + 1]!
      const near = Math.max(Math.abs(here), Math.abs(next)) + beyond
      if (near <= peak || near <= this.#floor) continue
      let half = 0
      let both = 0
      let tilt = 0
      for (let distance = 0; distance < reach; distance++) {
        const left = frames[at - distance]!
        const right = frames[at + 1 + distance]!
        half += middle[distance]! * (left + right)
        both += alike[distance]! * (left + right)
        tilt += apart[distance]! * (left - right)
      }
      peak = Math.max(
        peak,
        findHighest(here, both + tilt, half, both - tilt, next),
        findHighest(-here, -both - tilt, -half, tilt - both, -next)
      )
    }
    return peak
  }
}
