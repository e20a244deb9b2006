const headerBytes = 7

/** Frames of an ADTS or MP3 byte stream, independent of chunk borders. */
export interface FrameSplitter {
  readonly push: (chunk: Uint8Array) => Array<Uint8Array>
}

/** A stream with lost framing can't be repaired: its encoder has to be replaced. */
export class BrokenStream extends Error {
  override readonly name = "BrokenStream"
}

/** Cuts by the length that `lengthAt` reads from a frame's header of at least `headerBytesMin` bytes. */
export const splitter = (
  headerBytesMin: number,
  lengthAt: (bytes: Uint8Array, at: number) => number,
  skip = 0
): FrameSplitter => {
  let rest: Uint8Array = new Uint8Array(0)
  return {
    push: (chunk) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const frames: Array<Uint8Array> = []
      let at = 0
      while (bytes.length - at >= headerBytesMin) {
        const length = lengthAt(bytes, at)
        if (bytes.length - at < length) break
        // A copy, so that one frame does not keep a whole chunk in memory.
        frames.push(bytes.slice(at + skip, at + length))
        at += length
      }
      rest = bytes.slice(at)
      return frames
    }
  }
}

/** Raw AAC frames from ADTS, without headers. */
export const adtsSplitter = (): FrameSplitter =>
  splitter(
    headerBytes,
    (bytes, at) => {
      if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xf6) !== 0xf0) throw new BrokenStream("no ADTS header")
      return ((bytes[at + 3]! & 3) << 11) | (bytes[at + 4]! << 3) | (bytes[at + 5]! >> 5)
    },
    headerBytes
  )

/** AudioSpecificConfig of AAC-LC, 48 kHz, stereo. */
export const audioSpecificConfig = Uint8Array.of(0x11, 0x90)

/** A raw AAC frame with an ADTS header, for decoders that need a stream. */
export const withAdtsHeader = (frame: Uint8Array): Uint8Array => {
  const length = frame.length + headerBytes
  const out = new Uint8Array(length)
  out.set([0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc])
  out.set(frame, headerBytes)
  return out
}
