const headerBytes = 7

/** Bytes of an ADTS or MP3 stream, cut into frames however the chunks fall. */
export interface FrameSplitter {
  readonly push: (chunk: Uint8Array) => Array<Uint8Array>
}

/** A stream that lost its framing can't be repaired: its encoder has to be replaced. */
export class BrokenStream extends Error {
  override readonly name = "BrokenStream"
}

/** Cuts by the length that `lengthAt` reads from a frame's header; `headerBytesMin` are needed to read it. */
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
        // A copy of its own, so that one frame does not keep a whole chunk alive.
        frames.push(bytes.slice(at + skip, at + length))
        at += length
      }
      rest = bytes.slice(at)
      return frames
    }
  }
}

/** Raw AAC frames out of ADTS, headers taken off. */
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

/** A raw AAC frame back in ADTS, for decoders that want a stream. */
export const withAdtsHeader = (frame: Uint8Array): Uint8Array => {
  const length = frame.length + headerBytes
  const out = new Uint8Array(length)
  out.set([0xff, 0xf1, 0x4c, 0x80 | (length >> 11), (length >> 3) & 0xff, ((length & 7) << 5) | 0x1f, 0xfc])
  out.set(frame, headerBytes)
  return out
}
