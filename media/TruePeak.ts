/** Quarter-sample phases of a windowed sinc of the length BS.1770 uses: what a converter makes of the samples between the samples. */
const taps = 12
const before = taps / 2 - 1
const after = taps / 2
const shifts = [0.25, 0.5, 0.75]

/** Tap 0 belongs to the oldest sample; the point lies `shift` before the sample at `after`. */
const phases = shifts.map((shift) => Float64Array.from({ length: taps }, (_, tap) => {
  const x = after - tap - shift
  const window = 0.5 + 0.5 * Math.cos(Math.PI * x / (taps / 2 + 1))
  return Math.sin(Math.PI * x) / (Math.PI * x) * window
}))

/**
 * How far a point between two samples can lie outside them: at most `perStep` times the largest step nearby, and `perPeak`
 * times the largest sample. What a phase adds to the straight line between the two is a weighted sum of steps.
 */
const bounds = phases.map((phase, index) => {
  const shift = shifts[index]!
  const bend = phase.map((weight, tap) => weight - (tap === before ? shift : tap === after ? 1 - shift : 0))
  const rest = bend.reduce((sum, weight) => sum + weight, 0)
  bend[after]! -= rest
  let sum = 0
  let perStep = 0
  for (const weight of bend) perStep += Math.abs(sum += weight)
  return { perStep, perPeak: Math.abs(rest) }
})
const perStep = Math.max(...bounds.map((bound) => bound.perStep))
const perPeak = Math.max(...bounds.map((bound) => bound.perPeak))

/** The loudest value of each cell of one channel, between its samples too. Values up to `floor` needn't be exact. */
export class TruePeak {
  readonly #frames: Float32Array
  readonly #floor: number

  constructor(cellFrames: number, floor: number) {
    this.#frames = new Float32Array(taps - 1 + cellFrames)
    this.#floor = floor
  }

  /** `cell` is interleaved stereo. */
  push(cell: Float32Array, channel: number): number {
    const frames = this.#frames
    const count = frames.length - taps + 1
    frames.copyWithin(0, count)
    for (let frame = 0; frame < count; frame++) frames[taps - 1 + frame] = cell[frame * 2 + channel]!
    let peak = 0
    let step = 0
    let last = frames[0]!
    for (let at = 0; at < frames.length; at++) {
      const value = frames[at]!
      if (value > peak) peak = value
      else if (-value > peak) peak = -value
      const distance = value > last ? value - last : last - value
      if (distance > step) step = distance
      last = value
    }
    const reach = perStep * step + perPeak * peak
    if (peak + reach <= this.#floor) return peak
    // Only where the samples on both sides let a point between them be the loudest so far.
    for (let at = 0; at < count; at++) {
      const near = Math.max(Math.abs(frames[at + before]!), Math.abs(frames[at + after]!)) + reach
      if (near <= peak || near <= this.#floor) continue
      for (const phase of phases) {
        let sum = 0
        for (let tap = 0; tap < taps; tap++) sum += phase[tap]! * frames[at + tap]!
        if (sum > peak) peak = sum
        else if (-sum > peak) peak = -sum
      }
    }
    return peak
  }
}
