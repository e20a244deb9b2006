import { Spectra, spectrumSamples } from "../../ingest/Spectra.ts"
import { transcribedRateHz } from "./Pitches.ts"

const hopSamples = 256
export const onsetFrameSec = hopSamples / transcribedRateHz
const bandsCount = 24
const edges = Array.from({ length: bandsCount + 1 }, (_, band) =>
  Math.round((40 * (10_000 / 40) ** (band / bandsCount) * spectrumSamples) / transcribedRateHz)
)
const bassBands = 6
/** Tempos that people tap. */
const [slowestBpm, fastestBpm] = [50, 200]
const usualBpm = 112

/** How much begins in each frame of `onsetFrameSec`: in the whole spectrum, and below 160 Hz. */
export interface Onsets {
  readonly whole: Float32Array
  readonly bass: Float32Array
}

const steady = (rises: Float32Array): Float32Array => {
  const reach = Math.round(0.4 / onsetFrameSec)
  let sum = 0
  let square = 0
  const flat = Float32Array.from(rises, (_, at) => {
    let mean = 0
    const [from, to] = [Math.max(0, at - reach), Math.min(rises.length, at + reach + 1)]
    for (let i = from; i < to; i++) mean += rises[i]!
    const out = Math.max(0, rises[at]! - mean / (to - from))
    sum += out
    square += out * out
    return out
  })
  const deviation = Math.sqrt(Math.max(0, square / rises.length - (sum / rises.length) ** 2))
  return deviation === 0 ? flat : flat.map((value) => value / deviation)
}

/** Rises of the logarithm of each band. */
export const onsetsOf = (samples: Float32Array): Onsets => {
  const padded = new Float32Array(samples.length + 2 * spectrumSamples)
  padded.set(samples, spectrumSamples / 2)
  const frames = Math.ceil(samples.length / hopSamples / 2) * 2
  const [whole, bass] = [new Float32Array(frames), new Float32Array(frames)]
  const spectra = new Spectra()
  let before = new Float32Array(bandsCount)
  for (let frame = 0; frame < frames; frame += 2) {
    for (const [which, power] of spectra.spectraOfTwo(padded, frame * hopSamples, (frame + 1) * hopSamples).entries()) {
      const now = new Float32Array(bandsCount)
      for (let band = 0; band < bandsCount; band++) {
        let energy = 0
        for (let bin = edges[band]!; bin < Math.max(edges[band]! + 1, edges[band + 1]!); bin++) energy += power[bin]!
        now[band] = Math.log1p(energy)
        const rise = Math.max(0, now[band]! - before[band]!)
        if (frame + which === 0) continue
        whole[frame + which] = whole[frame + which]! + rise
        if (band < bassBands) bass[frame + which] = bass[frame + which]! + rise
      }
      before = now
    }
  }
  return { whole: steady(whole), bass: steady(bass) }
}

/** The tempo at which the onsets repeat most, in beats per minute: the one near `known` if that is given. */
export const tempoOf = (onsets: Float32Array, known: number | null): number => {
  const lagOf = (bpm: number) => 60 / bpm / onsetFrameSec
  const longest = Math.min(onsets.length - 1, Math.ceil(lagOf(slowestBpm) * 4))
  const repeats = Float64Array.from({ length: longest + 2 }, (_, lag) => {
    let sum = 0
    for (let i = lag; i < onsets.length; i++) sum += onsets[i]! * onsets[i - lag]!
    return sum / Math.max(1, onsets.length - lag)
  })
  const interpolate = (lag: number) => {
    const low = Math.floor(lag)
    return low + 1 >= repeats.length ? 0 : repeats[low]! * (low + 1 - lag) + repeats[low + 1]! * (lag - low)
  }
  const [from, to] = known === null ? [slowestBpm, fastestBpm] : [known * 0.97, known * 1.03]
  let [best, most] = [known ?? usualBpm, -Infinity]
  for (let bpm = from; bpm <= to; bpm *= 1.0015) {
    const lag = lagOf(bpm)
    // Beats are heard where bars repeat, too.
    const comb = interpolate(lag) + 0.7 * interpolate(2 * lag) + 0.4 * interpolate(3 * lag) + 0.6 * interpolate(4 * lag)
    const weight = known === null ? Math.exp(-0.5 * (Math.log2(bpm / usualBpm) / 0.8) ** 2) : 1
    if (comb * weight > most) [best, most] = [bpm, comb * weight]
  }
  return best
}

/**
 * Times of the beats in seconds, by dynamic programming after D. P. W. Ellis, "Beat Tracking by Dynamic Programming" (2007): each beat lies where
 * much begins, about one period after the last. Carried on at the same pace to both ends of the sound.
 */
export const beatsOf = (onsets: Float32Array, bpm: number): ReadonlyArray<number> => {
  const period = 60 / bpm / onsetFrameSec
  const tightness = 120
  const scores = new Float64Array(onsets.length)
  const links = new Int32Array(onsets.length).fill(-1)
  const [near, far] = [Math.round(period / 2), Math.round(period * 2)]
  for (let at = 0; at < onsets.length; at++) {
    let best = 0
    for (let back = near; back <= far && back <= at; back++) {
      const score = scores[at - back]! - tightness * Math.log(back / period) ** 2
      if (score > best) [best, links[at]] = [score, at - back]
    }
    scores[at] = onsets[at]! + best
  }
  let last = 0
  for (let at = Math.max(0, onsets.length - Math.ceil(period)); at < onsets.length; at++)
    if (scores[at]! >= scores[last]!) last = at
  const beats: Array<number> = []
  for (let at = last; at >= 0; at = links[at]!) beats.unshift(at * onsetFrameSec)
  const beatSec = 60 / bpm
  while (beats[0]! - beatSec >= -0.02) beats.unshift(beats[0]! - beatSec)
  const endSec = onsets.length * onsetFrameSec
  while (beats.at(-1)! + beatSec < endSec) beats.push(beats.at(-1)! + beatSec)
  return beats
}

/** The tempo that the beats keep on the whole. */
export const paceOf = (beats: ReadonlyArray<number>, bpm: number): number => {
  if (beats.length < 8) return bpm
  // Slope of the line through beat number and time.
  const n = beats.length
  const meanTime = beats.reduce((sum, time) => sum + time, 0) / n
  let [over, under] = [0, 0]
  beats.forEach((time, beat) => {
    over += (beat - (n - 1) / 2) * (time - meanTime)
    under += (beat - (n - 1) / 2) ** 2
  })
  return 60 / (over / under)
}
