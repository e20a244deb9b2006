/** Where a sound lies in a recording, and how alike they are (normalised cross-correlation, −1…1). */
export interface Match {
  readonly offsetSamples: number
  readonly correlation: number
}

const energy = (signal: Float32Array, from: number, count: number): number => {
  let sum = 0
  for (let i = from; i < from + count; i++) sum += signal[i]! * signal[i]!
  return sum
}

const alike = (needle: Float32Array, needleEnergy: number, hay: Float32Array, at: number): number => {
  let dot = 0
  for (let i = 0; i < needle.length; i++) dot += needle[i]! * hay[at + i]!
  const hayEnergy = energy(hay, at, needle.length)
  return hayEnergy === 0 ? 0 : dot / Math.sqrt(needleEnergy * hayEnergy)
}

/** Box-filtered and thinned: enough to find the place, cheap enough to look everywhere. */
export const thin = (signal: Float32Array, factor: number): Float32Array => {
  const out = new Float32Array(Math.floor(signal.length / factor))
  for (let i = 0; i < out.length; i++) {
    let sum = 0
    for (let j = 0; j < factor; j++) sum += signal[i * factor + j]!
    out[i] = sum / factor
  }
  return out
}

const best = (needle: Float32Array, hay: Float32Array, from: number, to: number): Match => {
  const needleEnergy = energy(needle, 0, needle.length)
  let offsetSamples = from
  let correlation = -1
  for (let at = Math.max(0, from); at <= Math.min(to, hay.length - needle.length); at++) {
    const found = alike(needle, needleEnergy, hay, at)
    if (found > correlation) [offsetSamples, correlation] = [at, found]
  }
  return { offsetSamples, correlation }
}

/**
 * Finds `needle` in `hay` (mono, both at the same rate): a coarse look over the whole at a 24th of the rate,
 * then a fine one around the best place, exact to the sample.
 */
export const find = (needle: Float32Array, hay: Float32Array): Match => {
  const factor = 24
  const coarse = best(thin(needle, factor), thin(hay, factor), 0, Math.floor(hay.length / factor))
  const around = coarse.offsetSamples * factor
  return best(needle, hay, around - 4 * factor, around + 4 * factor)
}
