import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { disk } from "../storage/MediaStore.ts"
import { printRateHz } from "./Fingerprint.ts"
import { Spectra, spectrumSamples } from "./Spectra.ts"

/** Estimates from the sound itself. Null where the sound gives no clear answer. */
export interface SoundFeatures {
  readonly bpm: number | null
  readonly musicalKey: string | null
  /** 0 to 1: loudness of the programme's lower and middle range, and how often something sets in. */
  readonly energy: number
  readonly isInstrumental: boolean | null
}

const hopSamples = 128
const hopsPerSec = printRateHz / hopSamples
const half = spectrumSamples / 2
const binHz = printRateHz / spectrumSamples
const names = ["C", "Db", "D", "Eb", "E", "F", "F#", "G", "Ab", "A", "Bb", "B"] as const
/** How well each tone fits a key, by Krumhansl and Kessler's listening tests (1982). */
const profiles = {
  major: [6.35, 2.23, 3.48, 2.33, 4.38, 4.09, 2.52, 5.19, 2.39, 3.66, 2.29, 2.88],
  minor: [6.33, 2.68, 3.52, 5.38, 2.6, 3.53, 2.54, 4.75, 3.98, 2.69, 3.34, 3.17]
} as const
/** Pitch class of each bin between 65 Hz and 1 kHz; −1 elsewhere. */
const classOf = Int8Array.from({ length: half }, (_, bin) => {
  const hz = bin * binHz
  return hz < 65 || hz > 1_000 ? -1 : ((Math.round(12 * Math.log2(hz / 261.6256)) % 12) + 12) % 12
})

const mean = (values: ArrayLike<number>): number => {
  let sum = 0
  for (let i = 0; i < values.length; i++) sum += values[i]!
  return values.length === 0 ? 0 : sum / values.length
}
const correlation = (one: ArrayLike<number>, other: ArrayLike<number>): number => {
  const [a, b] = [mean(one), mean(other)]
  let [both, first, second] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    const [x, y] = [one[i]! - a, other[i]! - b]
    both += x * y
    first += x * x
    second += y * y
  }
  return first === 0 || second === 0 ? 0 : both / Math.sqrt(first * second)
}

/** The key whose profile fits the tones best; null where the best fits little better than chance. */
export const keyOf = (chroma: ArrayLike<number>): string | null => {
  let best = { fit: 0, name: "" }
  for (let tonic = 0; tonic < 12; tonic++)
    for (const family of ["major", "minor"] as const) {
      const turned = Array.from({ length: 12 }, (_, tone) => chroma[(tone + tonic) % 12]!)
      const fit = correlation(turned, profiles[family])
      if (fit > best.fit) best = { fit, name: `${names[tonic]!} ${family}` }
    }
  return best.fit < 0.5 ? null : best.name
}

const [slowest, fastest] = [60, 200] as const
/** The tempo at which onsets repeat; null where none stands out. */
export const tempoOf = (onsets: Float32Array): number | null => {
  const average = mean(onsets)
  const centred = onsets.map((value) => value - average)
  const interpolate = (lag: number): number => {
    const whole = Math.floor(lag)
    const share = lag - whole
    let [sum, power] = [0, 0]
    for (let i = 0; i + whole + 1 < centred.length; i++) {
      sum += centred[i]! * (centred[i + whole]! * (1 - share) + centred[i + whole + 1]! * share)
      power += centred[i]! * centred[i]!
    }
    return power === 0 ? 0 : sum / power
  }
  let best = { score: 0, bpm: 0, clear: 0 }
  for (let bpm = slowest; bpm <= fastest; bpm += 0.5) {
    const beat = (60 * hopsPerSec) / bpm
    // A beat repeats after two and four beats as well; what repeats only after one is a coincidence.
    const clear = interpolate(beat)
    const score =
      (clear + 0.5 * interpolate(2 * beat) + 0.5 * interpolate(4 * beat)) *
      Math.exp(-0.5 * (Math.log2(bpm / 115) / 0.9) ** 2)
    if (score > best.score) best = { score, bpm, clear }
  }
  return best.clear < 0.08 ? null : Math.round(best.bpm * 10) / 10
}

/** A filter of second order without resonance; `kind` says which side of `hz` passes. */
const pass = (samples: Float32Array, kind: "above" | "below", hz: number): Float32Array => {
  const angle = (2 * Math.PI * hz) / printRateHz
  const [cos, alpha] = [Math.cos(angle), Math.sin(angle) / Math.SQRT2]
  const gain = (kind === "above" ? 1 + cos : 1 - cos) / 2 / (1 + alpha)
  const sign = kind === "above" ? -2 : 2
  const [back, further] = [(2 * cos) / (1 + alpha), (1 - alpha) / (1 + alpha)]
  const out = new Float32Array(samples.length)
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  for (let i = 0; i < samples.length; i++) {
    const x = samples[i]!
    const y = gain * (x + sign * x1 + x2) + back * y1 - further * y2
    ;[x2, x1, y2, y1] = [x1, x, y1, y]
    out[i] = y
  }
  return out
}

/** Level of the voice's band in each hop. A spectrum's window is longer than a syllable, so the band is filtered. */
const voiceLevels = (samples: Float32Array): Float32Array => {
  const band = pass(pass(pass(pass(samples, "above", 300), "above", 300), "below", 2_000), "below", 2_000)
  return Float32Array.from({ length: Math.floor(band.length / hopSamples) }, (_, hop) => {
    let sum = 0
    for (let i = hop * hopSamples; i < (hop + 1) * hopSamples; i++) sum += band[i]! * band[i]!
    return Math.sqrt(sum / hopSamples)
  })
}

/** How well a level repeats itself after a quarter of a second to two bars: near 1 for a beat, near 0 for speech. */
const repetition = (levels: Float32Array): number => {
  const average = mean(levels)
  const centred = levels.map((level) => level - average)
  let power = 0
  for (const value of centred) power += value * value
  if (power === 0) return 0
  let best = 0
  for (let lag = Math.round(hopsPerSec * 0.25); lag < Math.min(hopsPerSec * 4.5, centred.length - 1); lag++) {
    let sum = 0
    for (let i = 0; i + lag < centred.length; i++) sum += centred[i]! * centred[i + lag]!
    best = Math.max(best, (sum / power) * (centred.length / (centred.length - lag)))
  }
  return best
}

/**
 * False where a voice is heard, true where none is, null where the sound doesn't say. A voice swings at the rate of syllables and doesn't repeat itself.
 * Twelve pieces by the composer: swing 0.08 to 0.46, repetition 0.56 to 0.85; four voices of eSpeak alone and over five of them: 0.50 to 0.62, 0.13 to 0.36.
 */
const isInstrumentalBy = (levels: Float32Array): boolean | null => {
  const [swing, again] = [syllables(levels), repetition(levels)]
  if (swing > 0.48 && again < 0.45) return false
  return swing < 0.47 && again > 0.5 ? true : null
}

/** Share of its variance with which a band's level swings at the rate of syllables, 3 to 8 a second. */
const syllables = (levels: Float32Array): number => {
  const hops = Math.floor(hopsPerSec * 4)
  let [within, all] = [0, 0]
  for (let from = 0; from + hops <= levels.length; from += hops) {
    const part = levels.subarray(from, from + hops)
    const average = mean(part)
    for (let cycle = 2; cycle <= 80; cycle++) {
      let [re, im] = [0, 0]
      for (let i = 0; i < hops; i++) {
        const angle = (2 * Math.PI * cycle * i) / hops
        re += (part[i]! - average) * Math.cos(angle)
        im += (part[i]! - average) * Math.sin(angle)
      }
      const power = re * re + im * im
      all += power
      // Four seconds: cycle / 4 is in hertz.
      if (cycle >= 12 && cycle <= 32) within += power
    }
  }
  return all === 0 ? 0 : within / all
}

/**
 * Estimates from a file of mono float32 at `printRateHz`: tempo by the autocorrelation of onsets, key by the tones' profile, energy by level and
 * onsets, voices by their syllables. The middle two minutes decide.
 */
export const featuresOf = Effect.fnUntraced(function* (path: string) {
  const bytes = yield* disk(() => readFile(path))
  const whole = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2)
  const length = Math.min(whole.length, 120 * printRateHz)
  const samples = whole.subarray((whole.length - length) >> 1, (whole.length + length) >> 1)
  const hops = Math.max(0, Math.floor((samples.length - spectrumSamples) / hopSamples / 2) * 2)
  const onsets = new Float32Array(hops)
  const chroma = new Float64Array(12)
  const before = new Float64Array(half)
  const spectra = new Spectra()
  let squares = 0
  for (let i = 0; i < samples.length; i++) squares += samples[i]! * samples[i]!
  for (let hop = 0; hop < hops; hop += 2) {
    for (const [which, power] of spectra.spectraOfTwo(samples, hop * hopSamples, (hop + 1) * hopSamples).entries()) {
      let flux = 0
      for (let bin = 2; bin < half; bin++) {
        const level = Math.log1p(power[bin]! * 1_000)
        if (level > before[bin]!) flux += level - before[bin]!
        before[bin] = level
        const tone = classOf[bin]!
        if (tone >= 0) chroma[tone]! += Math.sqrt(power[bin]!)
      }
      onsets[hop + which] = flux
    }
    if (hop % 64 === 0) yield* Effect.yieldNow
  }
  const rms = Math.sqrt(squares / Math.max(1, samples.length))
  const busy = mean(onsets.map((value, i) => Math.max(0, value - (onsets[i - 1] ?? value))))
  const loud = Math.min(1, Math.max(0, (20 * Math.log10(rms + 1e-9) + 40) / 30))
  const energy = Math.round((0.6 * loud + 0.4 * (1 - Math.exp(-busy / 40))) * 100) / 100
  const features: SoundFeatures = {
    bpm: hops < hopsPerSec * 10 ? null : tempoOf(onsets),
    musicalKey: mean(chroma) === 0 ? null : keyOf(chroma),
    energy,
    isInstrumental: isInstrumentalBy(voiceLevels(samples))
  }
  return features
})
