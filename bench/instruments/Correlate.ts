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

/** The likeliest places by the coarse look. Speech repeats itself with every period of its pitch, so the best may be a neighbour. */
const likely = (needle: Float32Array, hay: Float32Array, count: number): ReadonlyArray<number> => {
  const needleEnergy = energy(needle, 0, needle.length)
  const places = Array.from({ length: Math.max(0, hay.length - needle.length + 1) }, (_, at) => ({
    at,
    correlation: alike(needle, needleEnergy, hay, at)
  }))
  return places
    .filter(
      ({ correlation }, i) =>
        correlation >= (places[i - 1]?.correlation ?? -1) && correlation >= (places[i + 1]?.correlation ?? -1)
    )
    .toSorted((a, b) => b.correlation - a.correlation)
    .slice(0, count)
    .map(({ at }) => at)
}

/**
 * Finds `needle` in `hay` (mono, both at the same rate): a coarse look over the whole at a 24th of the rate, from two phases, because at so
 * low a rate a voice's loudest tones may cancel out in one. Then a fine look around the likeliest places, exact to the sample.
 */
export const find = (needle: Float32Array, hay: Float32Array): Match => {
  const factor = 24
  const coarse = thin(needle, factor)
  return [0, factor / 2]
    .flatMap((phase) => likely(coarse, thin(hay.subarray(phase), factor), 6).map((at) => at * factor + phase))
    .map((at) => best(needle, hay, at - factor, at + factor))
    .reduce((found, next) => (next.correlation > found.correlation ? next : found), {
      offsetSamples: 0,
      correlation: -1
    })
}
