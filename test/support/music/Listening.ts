import { spawnSync } from "node:child_process"
import { onsetsOf, tempoOf } from "../../../media/music/transcriber/Beats.ts"
import { transcribedRateHz } from "../../../media/music/transcriber/Pitches.ts"
import { Spectra, spectrumSamples } from "../../../media/ingest/Spectra.ts"
import { bundledFfmpeg } from "../media/Sound.ts"

/** Mono at another rate, by the real resampler. */
export const resample = (channels: ReadonlyArray<Float32Array>, fromHz: number, toHz: number): Float32Array => {
  const mono = Float32Array.from(channels[0]!, (sample, i) => (sample + channels.at(-1)![i]!) / 2)
  const { status, stderr, stdout } = spawnSync(
    bundledFfmpeg,
    [
      "-v",
      "error",
      "-f",
      "f32le",
      "-ar",
      String(fromHz),
      "-ac",
      "1",
      "-i",
      "-",
      "-ar",
      String(toHz),
      "-f",
      "f32le",
      "-"
    ],
    { input: Buffer.from(mono.buffer), maxBuffer: 1 << 29 }
  )
  if (status !== 0) throw new Error(stderr.toString())
  return new Float32Array(stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength))
}

const correlation = (one: Float32Array, other: Float32Array): number | null => {
  const mean = (values: Float32Array) => values.reduce((sum, value) => sum + value, 0) / values.length
  const [a, b] = [mean(one), mean(other)]
  let [both, first, second] = [0, 0, 0]
  for (let i = 0; i < one.length; i++) {
    both += (one[i]! - a) * (other[i]! - b)
    first += (one[i]! - a) ** 2
    second += (other[i]! - b) ** 2
  }
  return first === 0 || second === 0 ? null : both / Math.sqrt(first * second)
}

/** Mean correlation of the pitch classes of two pieces, beat by beat, at the shift within `reach` beats where they agree best. */
export const compareChroma = (
  one: ReadonlyArray<Float32Array>,
  other: ReadonlyArray<Float32Array>,
  reach: number
): number => {
  let best = -1
  for (let shift = -reach; shift <= reach; shift++) {
    const found = one.flatMap((beat, at) => {
      const heard = other[at + shift]
      const fit = heard === undefined ? null : correlation(beat, heard)
      return fit === null ? [] : [fit]
    })
    if (found.length >= Math.min(one.length, other.length) / 2)
      best = Math.max(best, found.reduce((sum, fit) => sum + fit, 0) / found.length)
  }
  return best
}

/** The tempo, at most 3 % from `near`, with the most repetition. */
export const tempoNear = (samples: Float32Array, near: number): number => tempoOf(onsetsOf(samples).whole, near)

const bands = 20
/** Spectral balance: the mean level of each band in dB, relative to the mean of all. */
export const colourOf = (samples: Float32Array): Float32Array => {
  const spectra = new Spectra()
  const sums = new Float64Array(bands)
  for (let from = 0; from + 2 * spectrumSamples < samples.length; from += 2 * spectrumSamples)
    for (const power of spectra.spectraOfTwo(samples, from, from + spectrumSamples))
      for (let bin = 4; bin < power.length; bin++) {
        const hz = (bin * transcribedRateHz) / spectrumSamples
        const band = Math.floor((Math.log2(hz / 40) / Math.log2(10_000 / 40)) * bands)
        if (band >= 0 && band < bands) sums[band] = sums[band]! + power[bin]!
      }
  const levels = Float32Array.from(sums, (sum) => 10 * Math.log10(sum + 1e-9))
  const mean = levels.reduce((sum, level) => sum + level, 0) / bands
  return levels.map((level) => level - mean)
}

/** Root mean square difference of two spectra, in dB. */
export const colourDistance = (one: Float32Array, other: Float32Array): number =>
  Math.sqrt(one.reduce((sum, level, band) => sum + (level - other[band]!) ** 2, 0) / bands)
