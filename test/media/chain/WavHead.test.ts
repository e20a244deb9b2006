import { describe, expect, it } from "vitest"
import { readWavHead } from "../../../media/chain/WavHead.ts"

/** A WAV's head up to its sound. */
const head = ({
  bits = 16,
  channels = 2,
  code = 1,
  dataBytes = 0xffffffff,
  extra = 0,
  rateHz = 48_000
}: {
  readonly code?: number
  readonly channels?: number
  readonly rateHz?: number
  readonly bits?: number
  readonly dataBytes?: number
  /** Bytes of another chunk before the sound. */
  readonly extra?: number
} = {}): Buffer => {
  const format = Buffer.alloc(24)
  format.write("fmt ", 0)
  format.writeUInt32LE(16, 4)
  format.writeUInt16LE(code, 8)
  format.writeUInt16LE(channels, 10)
  format.writeUInt32LE(rateHz, 12)
  format.writeUInt16LE(bits, 22)
  const other = Buffer.alloc(extra === 0 ? 0 : 8 + extra + (extra % 2))
  if (extra > 0) {
    other.write("LIST", 0)
    other.writeUInt32LE(extra, 4)
  }
  const data = Buffer.alloc(8)
  data.write("data", 0)
  data.writeUInt32LE(dataBytes, 4)
  return Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVE"), format, other, data])
}

describe("the head of a WAV that arrives", () => {
  it("names its samples for the decoder, and where they begin", () => {
    expect(readWavHead(head())).toEqual({
      rawFormat: "s16le",
      rateHz: 48_000,
      channels: 2,
      dataAt: 44,
      dataBytes: Number.POSITIVE_INFINITY
    })
    expect(readWavHead(head({ code: 3, bits: 32, channels: 1, rateHz: 16_000, dataBytes: 640, extra: 33 }))).toEqual({
      rawFormat: "f32le",
      rateHz: 16_000,
      channels: 1,
      dataAt: 44 + 8 + 34,
      dataBytes: 640
    })
  })

  it("waits for the rest, however it is cut", () => {
    const whole = head({ extra: 100 })
    for (let length = 0; length < whole.length; length++) expect(readWavHead(whole.subarray(0, length))).toBe(null)
  })

  it("says why it is none", () => {
    expect(readWavHead(Buffer.from("ID3\x04 and no WAV at all"))).toBe("no WAV")
    expect(readWavHead(head({ code: 85, bits: 0 }))).toContain("format 85")
    expect(readWavHead(head({ channels: 0 }))).toContain("0 channels")
    expect(readWavHead(head({ rateHz: 1 }))).toContain("1 Hz")
    expect(readWavHead(Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEdata"), Buffer.alloc(4)]))).toContain(
      "without a format"
    )
    expect(readWavHead(head({ extra: 70_000 }).subarray(0, 66_000))).toBe("a WAV without sound")
  })
})
