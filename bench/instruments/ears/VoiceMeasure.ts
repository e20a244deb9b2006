import type { RawSound } from "../../../engine/ports/Speech.ts"
import { pitchOf } from "../../../media/speech/Pitch.ts"

/** Features by which listeners distinguish voices. */
export interface VoiceMeasure {
  readonly pitchHz: number
  /** Level of each third octave from 160 Hz to 8 kHz, in dB against their mean. */
  readonly spectrumDb: ReadonlyArray<number>
  readonly lengthSec: number
}

/** A small FFT: Goertzel sums over frames would be slow. */
const powerSpectrum = (pcm: Float32Array, size: number): Float64Array => {
  const power = new Float64Array(size / 2)
  const real = new Float64Array(size)
  const imag = new Float64Array(size)
  for (let at = 0; at + size <= pcm.length; at += size / 2) {
    for (let i = 0; i < size; i++) {
      let reversed = 0
      for (let bit = 1, value = i; bit < size; bit <<= 1, value >>= 1) reversed = (reversed << 1) | (value & 1)
      real[reversed] = pcm[at + i]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / size))
      imag[reversed] = 0
    }
    for (let half = 1; half < size; half *= 2) {
      for (let k = 0; k < half; k++) {
        const c = Math.cos((Math.PI * k) / half)
        const s = -Math.sin((Math.PI * k) / half)
        for (let i = k; i < size; i += 2 * half) {
          const r = real[i + half]! * c - imag[i + half]! * s
          const m = real[i + half]! * s + imag[i + half]! * c
          real[i + half] = real[i]! - r
          imag[i + half] = imag[i]! - m
          real[i]! += r
          imag[i]! += m
        }
      }
    }
    for (let i = 0; i < size / 2; i++) power[i]! += real[i]! ** 2 + imag[i]! ** 2
  }
  return power
}

const spectrumOf = (pcm: Float32Array, rate: number): ReadonlyArray<number> => {
  const size = 1024
  const power = powerSpectrum(pcm, size)
  const bands: Array<number> = []
  for (let third = 0; third < 18; third++) {
    const centre = 160 * 2 ** (third / 3)
    const low = Math.round((centre * 2 ** (-1 / 6) * size) / rate)
    const high = Math.max(low + 1, Math.round((centre * 2 ** (1 / 6) * size) / rate))
    let sum = 1e-9
    for (let bin = low; bin < high && bin < power.length; bin++) sum += power[bin]!
    bands.push(10 * Math.log10(sum))
  }
  const mean = bands.reduce((sum, level) => sum + level, 0) / bands.length
  return bands.map((level) => level - mean)
}

export const measureVoice = ({ channels, sampleRateHz }: RawSound): VoiceMeasure => {
  const pcm = channels[0]!
  return {
    pitchHz: pitchOf(pcm, sampleRateHz),
    spectrumDb: spectrumOf(pcm, sampleRateHz),
    lengthSec: pcm.length / sampleRateHz
  }
}

export interface VoiceDistance {
  readonly semitones: number
  readonly spectrumDb: number
  readonly tempoPct: number
}

export const distanceOf = (a: VoiceMeasure, b: VoiceMeasure): VoiceDistance => ({
  semitones: Math.abs(12 * Math.log2(a.pitchHz / b.pitchHz)),
  spectrumDb: Math.sqrt(
    a.spectrumDb.reduce((sum, level, i) => sum + (level - b.spectrumDb[i]!) ** 2, 0) / a.spectrumDb.length
  ),
  tempoPct: 100 * (Math.max(a.lengthSec, b.lengthSec) / Math.min(a.lengthSec, b.lengthSec) - 1)
})

/** Above 1, listeners distinguish the two: one of the three differences exceeds its threshold. */
export const apartness = ({ semitones, spectrumDb, tempoPct }: VoiceDistance): number =>
  Math.max(semitones / 2, spectrumDb / 3, tempoPct / 8)
