/** Samples of one spectrum. */
export const spectrumSamples = 2_048

const half = spectrumSamples / 2
const bits = Math.log2(spectrumSamples)
const cosines = Float64Array.from({ length: half }, (_, i) => Math.cos((2 * Math.PI * i) / spectrumSamples))
const sines = Float64Array.from({ length: half }, (_, i) => -Math.sin((2 * Math.PI * i) / spectrumSamples))
const hann = Float64Array.from(
  { length: spectrumSamples },
  (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / spectrumSamples)
)
const reversed = Uint16Array.from({ length: spectrumSamples }, (_, i) => {
  let out = 0
  for (let bit = 0; bit < bits; bit++) out = (out << 1) | ((i >> bit) & 1)
  return out
})

/** Power spectra in one buffer: valid until the next call. */
export class Spectra {
  readonly #real = new Float64Array(spectrumSamples)
  readonly #imag = new Float64Array(spectrumSamples)
  readonly #powers = [new Float64Array(half), new Float64Array(half)] as const

  /** Two windows at the price of one: the second is the imaginary part of the first. */
  spectraOfTwo(samples: Float32Array, first: number, second: number): readonly [Float64Array, Float64Array] {
    const [real, imag] = [this.#real, this.#imag]
    for (let i = 0; i < spectrumSamples; i++) {
      const at = reversed[i]!
      real[at] = samples[first + i]! * hann[i]!
      imag[at] = samples[second + i]! * hann[i]!
    }
    for (let size = 1, turn = half; size < spectrumSamples; size *= 2, turn /= 2) {
      for (let from = 0; from < spectrumSamples; from += 2 * size) {
        for (let i = 0; i < size; i++) {
          const low = from + i
          const high = low + size
          const cos = cosines[i * turn]!
          const sin = sines[i * turn]!
          const re = real[high]! * cos - imag[high]! * sin
          const im = real[high]! * sin + imag[high]! * cos
          real[high] = real[low]! - re
          imag[high] = imag[low]! - im
          real[low] = real[low]! + re
          imag[low] = imag[low]! + im
        }
      }
    }
    const [one, two] = this.#powers
    for (let i = 1; i < half; i++) {
      const re = real[i]!
      const im = imag[i]!
      const reBack = real[spectrumSamples - i]!
      const imBack = imag[spectrumSamples - i]!
      one[i] = (re + reBack) * (re + reBack) + (im - imBack) * (im - imBack)
      two[i] = (im + imBack) * (im + imBack) + (reBack - re) * (reBack - re)
    }
    return this.#powers
  }
}
