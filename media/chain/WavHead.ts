const [pcmFormat, floatFormat, extensible] = [1, 3, 0xfffe]
const rawFormats: Readonly<Record<string, string>> = {
  [`${pcmFormat}/8`]: "u8",
  [`${pcmFormat}/16`]: "s16le",
  [`${pcmFormat}/24`]: "s24le",
  [`${pcmFormat}/32`]: "s32le",
  [`${floatFormat}/32`]: "f32le",
  [`${floatFormat}/64`]: "f64le"
}
/** Programs that write into a pipe don't know the length, and write one of the largest numbers or none. */
const unknownBytes = 0x7fff_0000
const headBytesMax = 65_536
const ratesHz = [8_000, 192_000] as const
const channelsMax = 8

/** Samples of a WAV, in ffmpeg's name for them, and where they begin. */
export interface WavHead {
  readonly rawFormat: string
  readonly rateHz: number
  readonly channels: number
  readonly dataAt: number
  /** Infinite if the sender doesn't know it. */
  readonly dataBytes: number
}

/** The head of a WAV that is still arriving; null: more is needed; a text: why it is none. */
export const readWavHead = (bytes: Buffer): WavHead | string | null => {
  const name = (at: number) => bytes.toString("latin1", at, at + 4)
  if (bytes.length >= 12 && (name(0) !== "RIFF" || name(8) !== "WAVE")) return "no WAV"
  let sound: Omit<WavHead, "dataAt" | "dataBytes"> | null = null
  for (let at = 12; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32LE(at + 4)
    const from = at + 8
    if (name(at) === "data")
      return sound === null
        ? "a WAV without a format"
        : {
            ...sound,
            dataAt: from,
            dataBytes: length === 0 || length >= unknownBytes ? Number.POSITIVE_INFINITY : length
          }
    if (name(at) === "fmt ") {
      if (length < 16) return "a WAV without a format"
      if (from + Math.min(length, 26) > bytes.length) return null
      const code = bytes.readUInt16LE(from)
      const [channels, rateHz, bits] = [
        bytes.readUInt16LE(from + 2),
        bytes.readUInt32LE(from + 4),
        bytes.readUInt16LE(from + 14)
      ]
      const rawFormat =
        rawFormats[`${code === extensible && length >= 26 ? bytes.readUInt16LE(from + 24) : code}/${bits}`]
      if (rawFormat === undefined) return `a WAV in format ${code} with ${bits} bits`
      if (channels < 1 || channels > channelsMax || rateHz < ratesHz[0] || rateHz > ratesHz[1])
        return `a WAV of ${channels} channels at ${rateHz} Hz`
      sound = { rawFormat, rateHz, channels }
    }
    at = from + length + (length % 2)
  }
  return bytes.length > headBytesMax ? "a WAV without sound" : null
}
