const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0

/** Median pitch of a voice, by normalised autocorrelation over 40 ms frames; only frames that are clearly voiced count. 0 without any. */
export const pitchOf = (pcm: Float32Array, rate: number): number => {
  const step = 2
  const small = new Float32Array(Math.floor(pcm.length / step))
  for (let i = 0; i < small.length; i++) small[i] = (pcm[i * step]! + pcm[i * step + 1]!) / 2
  const hz = rate / step
  const frame = Math.round(hz * 0.04)
  const shortest = Math.floor(hz / 420)
  const longest = Math.ceil(hz / 60)
  const found: Array<number> = []
  for (let at = 0; at + frame + longest < small.length; at += Math.round(hz * 0.02)) {
    const scores = new Float64Array(longest + 1)
    let energy = 0
    for (let i = 0; i < frame; i++) energy += small[at + i]! ** 2
    if (energy / frame < 1e-4) continue
    let best = 0
    for (let lag = shortest; lag <= longest; lag++) {
      let product = 0
      let shifted = 0
      for (let i = 0; i < frame; i++) {
        product += small[at + i]! * small[at + i + lag]!
        shifted += small[at + i + lag]! ** 2
      }
      scores[lag] = product / Math.sqrt(energy * shifted + 1e-12)
      best = Math.max(best, scores[lag]!)
    }
    if (best < 0.75) continue
    // The first strong peak: later ones are multiples of the period.
    for (let lag = shortest + 1; lag < longest; lag++) {
      if (scores[lag]! > 0.9 * best && scores[lag]! >= scores[lag - 1]! && scores[lag]! >= scores[lag + 1]!) {
        found.push(hz / lag)
        break
      }
    }
  }
  return median(found)
}
