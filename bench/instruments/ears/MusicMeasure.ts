import { Spectra, spectrumSamples } from "../../../media/ingest/Spectra.ts"
import { sampleRateHz } from "../../../schema/time/Samples.ts"
import { integratedLufs, KWeighted, rangeLu } from "./Loudness.ts"

export type Stereo = readonly [Float32Array, Float32Array]

/** Features of a piece of music, measured from its sound alone, that judge and distinguish it. */
export interface MusicMeasure {
  /** Level of the octaves around 31 Hz to 16 kHz, in dB against the mean of those from 63 Hz to 8 kHz. */
  readonly octavesDb: ReadonlyArray<number>
  /** Distance of the octaves from 63 Hz to 8 kHz beyond ±4 dB of `targetDb`, as a root mean square. */
  readonly balanceErrorDb: number
  readonly loudnessRangeLu: number
  /** Highest sample against the loudness of the whole. */
  readonly peakToLoudnessDb: number
  readonly tempoBpm: number
  /** 0 to 1: similarity of the onsets one beat apart. */
  readonly beatStrength: number
  /** Standard deviation of the tempo over windows of eight seconds, in per cent; null where there is no beat. */
  readonly beatDriftPct: number | null
  /** Onsets a second: below 150 Hz, to 2 kHz, above. */
  readonly onsetsPerSec: ReadonlyArray<number>
  /** Correlation of the tones with the best key, and its lead over the best key of another tonic. */
  readonly keyClarity: number
  readonly keyLead: number
  readonly tonic: number
  /** Similarity of each half second to the most similar one at least four seconds away, and to all on average. */
  readonly recurrence: number
  readonly sameness: number
  readonly sideToMidDb: number
  /** Share of the energy in tones: 1 minus the flatness of the spectrum. */
  readonly tonality: number
  /** Level of the last 50 ms against the whole, and the steepest fall within 50 ms of the last three seconds. */
  readonly endDb: number
  readonly steepestFallDb: number
  /** Share of the tones of the last two and a half seconds that belong to the triad of the key. */
  readonly endsHome: number
}

/** Third octaves of many hundred commercial recordings fall like pink noise to 4 kHz and faster beyond; by octaves, with a lift for the bass. */
const targetDb: ReadonlyArray<number> = [4, 5, 3.5, 2, 0, -2, -4, -7.5]

const hopSamples = 480
const frameSec = hopSamples / sampleRateHz
const db = (power: number): number => 10 * Math.log10(power + 1e-14)
const mean = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return sum / Math.max(1, values.length)
}
const deviation = (values: ReadonlyArray<number>): number => {
  const middle = mean(values)
  return Math.sqrt(mean(values.map((value) => (value - middle) ** 2)))
}
const correlation = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): number => {
  const [ma, mb] = [mean(a), mean(b)]
  let [ab, aa, bb] = [0, 0, 0]
  for (let i = 0; i < a.length; i++) {
    ab += (a[i]! - ma) * (b[i]! - mb)
    aa += (a[i]! - ma) ** 2
    bb += (b[i]! - mb) ** 2
  }
  return ab / Math.sqrt(aa * bb + 1e-18)
}

const bandEdgesHz = [20, 150, 2_000, 12_000]
const binHz = sampleRateHz / spectrumSamples

interface Frames {
  readonly power: Float64Array
  /** One row of onset strength for each band. */
  readonly flux: ReadonlyArray<Float64Array>
  readonly flatness: number
}
/** The mean spectrum, and the increase of each frame over the previous one, by band. */
const framesOf = (mid: Float32Array): Frames => {
  const spectra = new Spectra()
  const count = Math.floor((mid.length - spectrumSamples) / hopSamples / 2) * 2
  const bins = spectrumSamples / 2
  const power = new Float64Array(bins)
  const edges = bandEdgesHz.map((hz) => Math.round(hz / binHz))
  const flux = [0, 1, 2].map(() => new Float64Array(count))
  let before = new Float64Array(bins)
  let now = new Float64Array(bins)
  const flatnesses: Array<number> = []
  for (let frame = 0; frame < count; frame += 2) {
    for (const [which, found] of spectra.spectraOfTwo(mid, frame * hopSamples, (frame + 1) * hopSamples).entries()) {
      for (let bin = 1; bin < bins; bin++) {
        power[bin]! += found[bin]!
        now[bin] = Math.log1p(found[bin]! * 30)
      }
      for (let band = 0; band < 3; band++) {
        let sum = 0
        for (let bin = Math.max(1, edges[band]!); bin < edges[band + 1]!; bin++)
          sum += Math.max(0, now[bin]! - before[bin]!)
        flux[band]![frame + which] = frame + which === 0 ? 0 : sum / (edges[band + 1]! - edges[band]!)
      }
      ;[before, now] = [now, before]
    }
    if (frame % 20 === 0) {
      let [logs, sum] = [0, 0]
      for (let bin = 4; bin < 340; bin++) {
        logs += Math.log(Math.expm1(before[bin]!) + 1e-4)
        sum += Math.expm1(before[bin]!) + 1e-4
      }
      flatnesses.push((Math.exp(logs / 336) * 336) / sum)
    }
  }
  return { power, flux, flatness: mean(flatnesses) }
}

const octaves = (power: Float64Array): ReadonlyArray<number> => {
  const levels = Array.from({ length: 10 }, (_, octave) => {
    const centre = 31.25 * 2 ** octave
    const low = Math.max(1, Math.round((centre * Math.SQRT1_2) / binHz))
    const high = Math.max(low + 1, Math.min(power.length, Math.round((centre * Math.SQRT2) / binHz)))
    let sum = 0
    for (let bin = low; bin < high; bin++) sum += power[bin]!
    return db(sum)
  })
  const middle = mean(levels.slice(1, 9))
  return levels.map((level) => level - middle)
}

/** Positions where a curve rises above its surroundings: peaks of the onset strength. */
const peaksOf = (flux: Float64Array): ReadonlyArray<number> => {
  const level = mean(flux)
  const found: Array<number> = []
  for (let i = 3; i + 3 < flux.length; i++) {
    const here = flux[i]!
    if (here < level * 1.8) continue
    if ([-3, -2, -1, 1, 2, 3].every((away) => here > flux[i + away]! || (here === flux[i + away]! && away > 0)))
      found.push(i)
  }
  return found
}

/** Autocorrelation of the onsets, one value for each lag in frames. */
const pulse = (onsets: Float64Array, from: number, to: number, lags: number): Float64Array => {
  const middle = mean(onsets.subarray(from, to))
  const out = new Float64Array(lags)
  for (let lag = 0; lag < lags; lag++) {
    let sum = 0
    for (let i = from; i + lag < to; i++) sum += (onsets[i]! - middle) * (onsets[i + lag]! - middle)
    out[lag] = sum / Math.max(1, to - from - lag)
  }
  const whole = out[0]! + 1e-12
  return out.map((value) => value / whole)
}

const [slowestBpm, fastestBpm] = [56, 190]
const lagOf = (bpm: number): number => 60 / bpm / frameSec
/** The beat: the lag whose multiples agree best. Tempi around 110 are preferred, as people do. */
const beatOf = (curve: Float64Array): { readonly lag: number; readonly strength: number } => {
  let [best, lag] = [-Infinity, lagOf(120)]
  for (let at = Math.ceil(lagOf(fastestBpm)); at <= lagOf(slowestBpm); at++) {
    const bpm = 60 / (at * frameSec)
    const score = (curve[at]! + 0.5 * (curve[at * 2] ?? 0)) * Math.exp(-0.5 * (Math.log2(bpm / 110) / 0.8) ** 2)
    if (score > best) [best, lag] = [score, at]
  }
  const [before, here, after] = [curve[lag - 1]!, curve[lag]!, curve[lag + 1]!]
  const bend = before - 2 * here + after
  return { lag: bend === 0 ? lag : lag + (0.5 * (before - after)) / bend, strength: Math.max(0, curve[lag]!) }
}

const beat = (flux: ReadonlyArray<Float64Array>) => {
  const count = flux[0]!.length
  const onsets = new Float64Array(count)
  for (const band of flux) {
    const scale = 1 / (Math.sqrt(mean(band.map((value) => value * value))) + 1e-9)
    for (let i = 0; i < count; i++) onsets[i]! += band[i]! * scale
  }
  const lags = Math.ceil(lagOf(slowestBpm) * 2) + 2
  const whole = beatOf(pulse(onsets, 0, count, Math.min(lags, count)))
  const window = Math.round(8 / frameSec)
  const near: Array<number> = []
  for (let from = 0; from + window <= count; from += window / 2) {
    const curve = pulse(onsets, Math.round(from), Math.round(from) + window, Math.min(lags, window))
    let lag = Math.round(whole.lag)
    for (let at = lag - 3; at <= whole.lag + 3; at++) if (curve[at]! > curve[lag]!) lag = at
    const [before, here, after] = [curve[lag - 1]!, curve[lag]!, curve[lag + 1]!]
    const bend = before - 2 * here + after
    if (here > 0.15) near.push(bend === 0 ? lag : lag + (0.5 * (before - after)) / bend)
  }
  return {
    tempoBpm: 60 / (whole.lag * frameSec),
    beatStrength: whole.strength,
    beatDriftPct: near.length < 2 || whole.strength < 0.15 ? null : (100 * deviation(near)) / mean(near)
  }
}

const chromaRate = sampleRateHz / 8
const chromaHop = 750
/** A twelfth of an octave each, every eighth of a second, from 110 Hz to 1.8 kHz; by magnitude, so that no single tone rules. */
const chromas = (mid: Float32Array): ReadonlyArray<ReadonlyArray<number>> => {
  const small = new Float32Array(Math.floor(mid.length / 8))
  // Two poles remove the frequencies above.
  let [one, two] = [0, 0]
  const pole = Math.exp((-2 * Math.PI * 2_200) / sampleRateHz)
  for (let i = 0; i < small.length * 8; i++) {
    one = mid[i]! + pole * (one - mid[i]!)
    two = one + pole * (two - one)
    if (i % 8 === 7) small[i >> 3] = two
  }
  const spectra = new Spectra()
  const hz = chromaRate / spectrumSamples
  const rows: Array<ReadonlyArray<number>> = []
  for (let at = 0; at + spectrumSamples + chromaHop <= small.length; at += 2 * chromaHop) {
    for (const power of spectra.spectraOfTwo(small, at, at + chromaHop)) {
      const row = Array.from({ length: 12 }, () => 0)
      for (let bin = Math.ceil(110 / hz); bin < 1_800 / hz; bin++) {
        if (power[bin]! < power[bin - 1]! || power[bin]! < power[bin + 1]!) continue
        const pitch = 12 * Math.log2((bin * hz) / 440) + 69
        row[((Math.round(pitch) % 12) + 12) % 12]! += Math.sqrt(power[bin]!)
      }
      rows.push(row)
    }
  }
  return rows
}

/** How well each tone fits a key, by listeners' judgement (Krumhansl and Kessler 1982). */
const keyProfiles = [
  [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
]
const key = (rows: ReadonlyArray<ReadonlyArray<number>>) => {
  const total = Array.from({ length: 12 }, (_, tone) => rows.reduce((sum, row) => sum + row[tone]!, 0))
  const fits = Array.from({ length: 12 }, (_, tonic) => {
    const turned = Array.from({ length: 12 }, (_, tone) => total[(tone + tonic) % 12]!)
    return Math.max(...keyProfiles.map((profile) => correlation(turned, profile)))
  })
  const keyClarity = Math.max(...fits)
  const tonic = fits.indexOf(keyClarity)
  // The relative key shares all tones, so listeners don't hear it as another key.
  const others = fits.filter((_, at) => ![0, 3, 9].includes((at - tonic + 12) % 12))
  return { keyClarity, keyLead: keyClarity - Math.max(...others), tonic }
}

const similarity = (rows: ReadonlyArray<ReadonlyArray<number>>) => {
  const spans = Array.from({ length: Math.floor(rows.length / 4) }, (_, span) =>
    Array.from({ length: 12 }, (_, tone) => mean(rows.slice(span * 4, span * 4 + 4).map((row) => row[tone]!)))
  )
  const best: Array<number> = []
  const all: Array<number> = []
  for (const [i, one] of spans.entries()) {
    const away = spans.flatMap((other, j) => (Math.abs(i - j) >= 8 ? [correlation(one, other)] : []))
    if (away.length === 0) continue
    best.push(Math.max(...away))
    all.push(mean(away))
  }
  return { recurrence: mean(best), sameness: mean(all) }
}

const rms = (samples: Float32Array, from: number, to: number): number => {
  let sum = 1e-14
  for (let i = Math.max(0, from); i < to; i++) sum += samples[i]! ** 2
  return sum / Math.max(1, to - Math.max(0, from))
}

/** Measures a piece of 48 kHz stereo. `writtenTonic` is 0 for C, where the score is known; otherwise it is heard. */
export const measureMusic = ([left, right]: Stereo, writtenTonic: number | null = null): MusicMeasure => {
  const mid = left.map((sample, i) => (sample + right[i]!) / 2)
  const side = left.map((sample, i) => (sample - right[i]!) / 2)
  const weighted = new KWeighted()
  weighted.add([left, right])
  let peak = 0
  for (const channel of [left, right]) for (const sample of channel) peak = Math.max(peak, Math.abs(sample))
  const { flatness, flux, power } = framesOf(mid)
  const octavesDb = octaves(power)
  const off = octavesDb.slice(1, 9).map((level, i) => level - (targetDb[i]! - mean(targetDb)))
  const rows = chromas(mid)
  const { keyClarity, keyLead, tonic } = key(rows)
  const last = rows.slice(-20)
  const home = writtenTonic ?? tonic
  const tones = Array.from({ length: 12 }, (_, tone) => mean(last.map((row) => row[(tone + home) % 12]!)))
  const level = rms(mid, 0, mid.length)
  const step = sampleRateHz / 20
  let steepestFallDb = 0
  for (let at = mid.length - 3 * sampleRateHz; at + 2 * step <= mid.length; at += step) {
    const before = rms(mid, at, at + step)
    // Falls from nearly inaudible levels are noise.
    if (before > level / 1_000)
      steepestFallDb = Math.max(
        steepestFallDb,
        db(before) - Math.max(db(level) - 60, db(rms(mid, at + step, at + 2 * step)))
      )
  }
  const lengthSec = mid.length / sampleRateHz
  return {
    octavesDb,
    balanceErrorDb: Math.sqrt(mean(off.map((error) => Math.max(0, Math.abs(error) - 4) ** 2))),
    loudnessRangeLu: rangeLu(weighted.blocks),
    peakToLoudnessDb: 20 * Math.log10(peak) - integratedLufs(weighted.blocks),
    ...beat(flux),
    onsetsPerSec: flux.map((band) => peaksOf(band).length / lengthSec),
    keyClarity,
    keyLead,
    tonic,
    ...similarity(rows),
    sideToMidDb: db(rms(side, 0, side.length)) - db(level),
    tonality: 1 - flatness,
    endDb: db(rms(mid, mid.length - step, mid.length)) - db(level),
    steepestFallDb,
    endsHome:
      (tones[0]! + Math.max(tones[3]!, tones[4]!) + tones[7]!) / (tones.reduce((sum, tone) => sum + tone, 0) + 1e-9)
  }
}
