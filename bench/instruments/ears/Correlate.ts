/** Position of a sound in a recording, and their similarity (normalised cross-correlation, −1…1). */
export interface Match {
  readonly offsetSamples: number
  readonly correlation: number
}

/** Energy of every prefix: the energy of any section is one subtraction. */
const energies = (signal: Float32Array): Float64Array => {
  const sums = new Float64Array(signal.length + 1)
  for (let i = 0; i < signal.length; i++) sums[i + 1] = sums[i]! + signal[i]! * signal[i]!
  return sums
}

/** Similarity of the needle and each section of the hay that begins in `from`…`to`. */
const compare = (needle: Float32Array, hay: Float32Array, from: number, to: number): Float64Array => {
  const piece = hay.subarray(from, Math.max(from, to + needle.length))
  const sums = energies(piece)
  const needleEnergy = energies(needle)[needle.length]!
  return Float64Array.from({ length: Math.max(0, piece.length - needle.length + 1) }, (_, at) => {
    const energy = sums[at + needle.length]! - sums[at]!
    if (energy <= 0) return 0
    let dot = 0
    for (let i = 0; i < needle.length; i++) dot += needle[i]! * piece[at + i]!
    return dot / Math.sqrt(needleEnergy * energy)
  })
}

/** Box-filtered and decimated: precise enough to find the position, cheap enough to search everything. */
export const decimate = (signal: Float32Array, factor: number): Float32Array => {
  const out = new Float32Array(Math.floor(signal.length / factor))
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    for (let j = 0; j < factor; j++) sum += signal[i * factor + j]!
    out[i] = sum / factor
  }
  return out
}

const findBest = (needle: Float32Array, hay: Float32Array, around: number, within: number): Match => {
  const from = Math.max(0, around - within)
  return compare(needle, hay, from, around + within).reduce<Match>(
    (found, correlation, at) => (correlation > found.correlation ? { offsetSamples: from + at, correlation } : found),
    { offsetSamples: from, correlation: -1 }
  )
}

/** The likeliest positions of the coarse search. Speech repeats with every period of its pitch, so the best one may be a neighbour. */
const findLikely = (needle: Float32Array, hay: Float32Array, count: number): ReadonlyArray<number> => {
  const found = compare(needle, hay, 0, hay.length - needle.length)
  return [...found.keys()]
    .filter((at) => found[at]! >= (found[at - 1] ?? -1) && found[at]! >= (found[at + 1] ?? -1))
    .toSorted((a, b) => found[b]! - found[a]!)
    .slice(0, count)
}

/**
 * Finds `needle` in `hay` (mono, same rate): a coarse search over everything at 1/24 of the rate, from two phases, because at so
 * low a rate a voice's loudest tones may cancel out in one of them. Then a fine search around the likeliest positions, exact to the sample.
 */
export const find = (needle: Float32Array, hay: Float32Array): Match => {
  const factor = 24
  const coarse = decimate(needle, factor)
  return [0, factor / 2]
    .flatMap((phase) => findLikely(coarse, decimate(hay.subarray(phase), factor), 6).map((at) => at * factor + phase))
    .map((at) => findBest(needle, hay, at, factor))
    .reduce((found, next) => (next.correlation > found.correlation ? next : found), {
      offsetSamples: 0,
      correlation: -1
    })
}
