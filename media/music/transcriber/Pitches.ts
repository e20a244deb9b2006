import { Spectra, spectrumSamples } from "../../ingest/Spectra.ts"

/** Rate of the sound that is transcribed. */
export const transcribedRateHz = 22_050
/** Pitches are read from the lower half: its spectra tell semitones apart down to the second octave. */
const pitchRateHz = transcribedRateHz / 2
const hopSamples = 512
export const pitchFrameSec = hopSamples / pitchRateHz

export const lowestPitch = 33
const highestPitch = 100
export const pitchesCount = highestPitch - lowestPitch + 1

/** How loud each semitone is in each frame of `pitchFrameSec`, `pitchesCount` values a frame. */
export interface Pitchgram {
  readonly frames: number
  readonly values: Float32Array
}

/** Every second sample, after a half-band filter that keeps what lies above from folding down. */
const halveRate = (samples: Float32Array): Float32Array => {
  const taps = [0.5, 0.3135, 0, -0.0944, 0, 0.0469, 0, -0.0236, 0, 0.0102, 0, -0.0032]
  return Float32Array.from({ length: samples.length >> 1 }, (_, i) => {
    let sum = samples[2 * i]! * taps[0]!
    for (let tap = 1; tap < taps.length; tap += 2)
      sum += taps[tap]! * ((samples[2 * i - tap] ?? 0) + (samples[2 * i + tap] ?? 0))
    return sum
  })
}

interface Peak {
  readonly pitch: number
  readonly size: number
}

const firstBin = Math.floor((52 * spectrumSamples) / pitchRateHz)
const lastBin = Math.ceil((2_700 * spectrumSamples) / pitchRateHz)

/** Peaks of a spectrum, at the pitch between the bins where a parabola through the logarithms has its top. */
const peaksOf = (power: Float64Array): ReadonlyArray<Peak> => {
  const peaks: Array<Peak> = []
  let loudest = 0
  for (let bin = firstBin; bin <= lastBin; bin++) if (power[bin]! > loudest) loudest = power[bin]!
  const floor = Math.max(1e-9, loudest * 1e-5)
  for (let bin = firstBin; bin <= lastBin; bin++) {
    const here = power[bin]!
    if (here < floor || here < power[bin - 1]! || here <= power[bin + 1]!) continue
    const [low, mid, high] = [
      Math.log(power[bin - 1]! + 1e-12),
      Math.log(here + 1e-12),
      Math.log(power[bin + 1]! + 1e-12)
    ]
    const bend = low - 2 * mid + high
    const shift = bend === 0 ? 0 : (0.5 * (low - high)) / bend
    const hz = ((bin + shift) * pitchRateHz) / spectrumSamples
    peaks.push({ pitch: 69 + 12 * Math.log2(hz / 440), size: here ** 0.25 })
  }
  return peaks
}

/** How far the whole is tuned from A 440, in semitones: the direction in which most of the peaks lie beside the keys. */
const tuningOf = (frames: ReadonlyArray<ReadonlyArray<Peak>>): number => {
  let [x, y] = [0, 0]
  for (const peaks of frames)
    for (const { pitch, size } of peaks) {
      x += size * Math.cos(2 * Math.PI * pitch)
      y += size * Math.sin(2 * Math.PI * pitch)
    }
  return x === 0 && y === 0 ? 0 : Math.atan2(y, x) / (2 * Math.PI)
}

/** From mono sound at `transcribedRateHz`. */
export const pitchgramOf = (samples: Float32Array): Pitchgram => {
  const low = halveRate(samples)
  const padded = new Float32Array(low.length + 2 * spectrumSamples)
  padded.set(low, spectrumSamples / 2)
  const frames = Math.ceil(low.length / hopSamples / 2) * 2
  const spectra = new Spectra()
  const found: Array<ReadonlyArray<Peak>> = []
  for (let frame = 0; frame < frames; frame += 2)
    for (const power of spectra.spectraOfTwo(padded, frame * hopSamples, (frame + 1) * hopSamples))
      found.push(peaksOf(power))
  const tuning = tuningOf(found)
  const values = new Float32Array(frames * pitchesCount)
  found.forEach((peaks, frame) => {
    for (const { pitch, size } of peaks) {
      const tuned = pitch - tuning
      const key = Math.round(tuned)
      if (key < lowestPitch || key > highestPitch) continue
      const at = frame * pitchesCount + key - lowestPitch
      const certain = Math.cos(Math.PI * (tuned - key)) ** 2
      if (size * certain > values[at]!) values[at] = size * certain
    }
  })
  return { frames, values }
}

/** Mean loudness of each semitone between two times. */
export const pitchesBetween = ({ frames, values }: Pitchgram, fromSec: number, toSec: number): Float32Array => {
  const mean = new Float32Array(pitchesCount)
  const from = Math.max(0, Math.min(frames - 1, Math.round(fromSec / pitchFrameSec)))
  const to = Math.max(from + 1, Math.min(frames, Math.round(toSec / pitchFrameSec)))
  for (let frame = from; frame < to; frame++)
    for (let pitch = 0; pitch < pitchesCount; pitch++)
      mean[pitch] = mean[pitch]! + values[frame * pitchesCount + pitch]! / (to - from)
  return mean
}

/** Pitch classes from C, folded from the semitones in a range. */
export const foldPitches = (pitches: Float32Array, from: number, to: number): Float32Array => {
  const chroma = new Float32Array(12)
  for (let pitch = Math.max(from, lowestPitch); pitch <= Math.min(to, highestPitch); pitch++)
    chroma[pitch % 12] = chroma[pitch % 12]! + pitches[pitch - lowestPitch]!
  return chroma
}
