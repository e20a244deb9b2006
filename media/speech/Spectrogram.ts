/** What a sound is like over time: one row of features for each 12.5 ms, and its loudness. */
export interface Spectrogram {
  readonly frames: number
  /** `frames` rows of `width` cepstral coefficients, each of mean 0 and deviation 1 over the sounding frames. */
  readonly rows: Float32Array
  readonly width: number
  /** Level of each frame, in dB below the loudest. */
  readonly levelDb: Float32Array
}

export const frameMs = 12.5
const windowMs = 25
const [bands, width] = [24, 12]
const [lowHz, highHz] = [80, 5_000]
/** Below it a frame is a pause. */
export const pauseDb = -38

const mel = (hz: number) => 1_127 * Math.log(1 + hz / 700)

/** Radix-2, in place. */
const fourier = (real: Float64Array, imag: Float64Array): void => {
  const size = real.length
  for (let i = 1, j = 0; i < size; i++) {
    let bit = size >> 1
    for (; j & bit; bit >>= 1) j ^= bit
    j ^= bit
    if (i < j) {
      const [a, b] = [real[i]!, imag[i]!]
      real[i] = real[j]!
      imag[i] = imag[j]!
      real[j] = a
      imag[j] = b
    }
  }
  for (let half = 1; half < size; half *= 2) {
    const [stepC, stepS] = [Math.cos(Math.PI / half), -Math.sin(Math.PI / half)]
    for (let start = 0; start < size; start += 2 * half) {
      let [c, s] = [1, 0]
      for (let k = start; k < start + half; k++) {
        const r = real[k + half]! * c - imag[k + half]! * s
        const m = real[k + half]! * s + imag[k + half]! * c
        real[k + half] = real[k]! - r
        imag[k + half] = imag[k]! - m
        real[k]! += r
        imag[k]! += m
        const next = c * stepC - s * stepS
        s = c * stepS + s * stepC
        c = next
      }
    }
  }
}

/** Mel cepstra, normalised so that two voices that say the same look alike. */
export const spectrogramOf = (pcm: Float32Array, sampleRateHz: number): Spectrogram => {
  const hop = (sampleRateHz * frameMs) / 1_000
  const window = Math.round((sampleRateHz * windowMs) / 1_000)
  const size = 2 ** Math.ceil(Math.log2(window))
  const frames = Math.max(0, Math.floor((pcm.length - window) / hop) + 1)
  const edges = Array.from({ length: bands + 2 }, (_, i) => {
    const top = mel(Math.min(highHz, sampleRateHz / 2))
    const hz = 700 * (Math.exp((mel(lowHz) + ((top - mel(lowHz)) * i) / (bands + 1)) / 1_127) - 1)
    return (hz * size) / sampleRateHz
  })
  const taper = Float64Array.from({ length: window }, (_, i) => 0.5 - 0.5 * Math.cos((2 * Math.PI * i) / window))
  const rows = new Float32Array(frames * width)
  const levelDb = new Float32Array(frames)
  const [real, imag, log] = [new Float64Array(size), new Float64Array(size), new Float64Array(bands)]
  for (let frame = 0; frame < frames; frame++) {
    const from = Math.round(frame * hop)
    real.fill(0)
    imag.fill(0)
    let power = 0
    for (let i = 0; i < window; i++) {
      // The slope of speech is lifted by 6 dB an octave.
      const sample = pcm[from + i]! - 0.95 * (from + i > 0 ? pcm[from + i - 1]! : 0)
      real[i] = sample * taper[i]!
      power += pcm[from + i]! ** 2
    }
    levelDb[frame] = 10 * Math.log10(power / window + 1e-10)
    fourier(real, imag)
    for (let band = 0; band < bands; band++) {
      const [low, middle, high] = [edges[band]!, edges[band + 1]!, edges[band + 2]!]
      let sum = 0
      for (let bin = Math.ceil(low); bin < high; bin++)
        sum +=
          (real[bin]! ** 2 + imag[bin]! ** 2) *
          (bin < middle ? (bin - low) / (middle - low) : (high - bin) / (high - middle))
      log[band] = Math.log(sum + 1e-8)
    }
    for (let k = 0; k < width; k++) {
      let sum = 0
      for (let band = 0; band < bands; band++) sum += log[band]! * Math.cos((Math.PI * (k + 1) * (band + 0.5)) / bands)
      rows[frame * width + k] = sum
    }
  }
  const loudest = levelDb.reduce((top, level) => Math.max(top, level), -100)
  for (let frame = 0; frame < frames; frame++) levelDb[frame]! -= loudest
  for (let k = 0; k < width; k++) {
    let [count, sum, squares] = [0, 0, 0]
    for (let frame = 0; frame < frames; frame++) {
      if (levelDb[frame]! < pauseDb) continue
      const value = rows[frame * width + k]!
      count++
      sum += value
      squares += value * value
    }
    const mean = sum / Math.max(1, count)
    const deviation = Math.sqrt(Math.max(1e-6, squares / Math.max(1, count) - mean * mean))
    for (let frame = 0; frame < frames; frame++) {
      const index = frame * width + k
      rows[index] = (rows[index]! - mean) / deviation
    }
  }
  return { frames, rows, width, levelDb }
}
