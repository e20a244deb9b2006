/** Decoded sound of one channel. */
export interface Pcm {
  readonly pcm: Float32Array
  readonly sampleRateHz: number
}

/** 16-bit little-endian samples of interleaved channels, mixed to one. */
export const pcm16 = (bytes: Uint8Array, sampleRateHz: number, channels = 1): Pcm => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pcm = new Float32Array(Math.floor(bytes.byteLength / (2 * channels)))
  for (let i = 0; i < pcm.length; i++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += view.getInt16(2 * (i * channels + channel), true)
    pcm[i] = sum / channels / 32_768
  }
  return { pcm, sampleRateHz }
}

const float32 = (bytes: Uint8Array, sampleRateHz: number, channels: number): Pcm => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pcm = new Float32Array(Math.floor(bytes.byteLength / (4 * channels)))
  for (let i = 0; i < pcm.length; i++) {
    let sum = 0
    for (let channel = 0; channel < channels; channel++) sum += view.getFloat32(4 * (i * channels + channel), true)
    pcm[i] = sum / channels
  }
  return { pcm, sampleRateHz }
}

/** Servers that stream don't know the length, and write one of the largest numbers or none. */
const unknownBytes = 0x7fff_0000

const sampleRatesHz = [8_000, 192_000] as const
const [pcmFormat, floatFormat, extensible] = [1, 3, 0xfffe]

/** The sound of a WAV file: 16-bit or float, one or two channels. Text instead of it if it is none, or is cut off. */
export const wavPcm = (bytes: Uint8Array): Pcm | string => {
  const text = (at: number) => Buffer.from(bytes.buffer, bytes.byteOffset + at, 4).toString("latin1")
  if (bytes.length < 44 || text(0) !== "RIFF" || text(8) !== "WAVE") return "no WAV file"
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let format: { code: number; channels: number; rateHz: number; bits: number } | null = null
  for (let at = 12; at + 8 <= bytes.length;) {
    const [name, length] = [text(at), view.getUint32(at + 4, true)]
    const from = at + 8
    if (name === "fmt " && from + 16 <= bytes.length) {
      const code = view.getUint16(from, true)
      format = {
        code: code === extensible && length >= 26 ? view.getUint16(from + 24, true) : code,
        channels: view.getUint16(from + 2, true),
        rateHz: view.getUint32(from + 4, true),
        bits: view.getUint16(from + 14, true)
      }
    }
    if (name === "data") {
      if (format === null) return "a WAV file without a format"
      const { bits, channels, code, rateHz } = format
      if (channels < 1 || channels > 2 || rateHz < sampleRatesHz[0] || rateHz > sampleRatesHz[1])
        return `a WAV file of ${channels} channels at ${rateHz} Hz`
      const isEndless = length === 0 || length >= unknownBytes
      if (!isEndless && from + length > bytes.length) return "a WAV file that is cut off"
      const data = bytes.subarray(from, isEndless ? bytes.length : from + length)
      if (code === pcmFormat && bits === 16) return pcm16(data, rateHz, channels)
      if (code === floatFormat && bits === 32) return float32(data, rateHz, channels)
      return `a WAV file in format ${code} with ${bits} bits`
    }
    at = from + length + (length % 2)
  }
  return "a WAV file without sound"
}
