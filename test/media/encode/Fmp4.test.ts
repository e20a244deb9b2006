import { describe, expect, it } from "vitest"
import { initSegment, labelMessage } from "../../../media/encode/Fmp4.ts"
import { type Part, PartPacker, segmentSamples, silentFrame } from "../../../media/encode/PartPacker.ts"
import { markOfStation } from "../../../schema/Synthetic.ts"

interface Box {
  readonly type: string
  readonly body: DataView<ArrayBuffer>
}

const boxes = (bytes: Uint8Array<ArrayBuffer>): ReadonlyArray<Box> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const found: Array<Box> = []
  for (let at = 0; at < bytes.length;) {
    const size = view.getUint32(at)
    found.push({
      type: Buffer.from(bytes.subarray(at + 4, at + 8)).toString(),
      body: new DataView(bytes.buffer, bytes.byteOffset + at + 8, size - 8)
    })
    at += size
  }
  return found
}

const bytesOf = (view: DataView<ArrayBuffer>, from = 0) =>
  new Uint8Array(view.buffer, view.byteOffset + from, view.byteLength - from)
const inside = (list: ReadonlyArray<Box>, ...path: ReadonlyArray<string>): DataView<ArrayBuffer> => {
  const [head, ...rest] = path
  const box = list.find(({ type }) => type === head)!
  return rest.length === 0 ? box.body : inside(boxes(bytesOf(box.body)), ...rest)
}

const label = (atSample: number, title: string) => ({
  id: atSample % 2 ** 32,
  atSample,
  title,
  artist: "Ann Ö.",
  kind: "music"
})

const pack = (firstFrame: number, frames: number, labels: ReadonlyArray<ReturnType<typeof label>>) => {
  const parts: Array<Part> = []
  const packer = new PartPacker("aac128", firstFrame, (part) => parts.push(part))
  for (const each of labels) packer.label(each)
  packer.feed(
    firstFrame,
    Array.from({ length: frames }, () => silentFrame)
  )
  return parts
}

describe("Fmp4", () => {
  it("declares AAC-LC, 48 kHz, stereo, with the sample rate as timescale", () => {
    const init = boxes(initSegment(128))
    expect(init.map(({ type }) => type)).toEqual(["ftyp", "moov"])
    expect(inside(init, "moov", "trak", "mdia", "mdhd").getUint32(12)).toBe(48_000)
    expect(Buffer.from(initSegment(128)).includes(Buffer.from([0x05, 0x02, 0x11, 0x90]))).toBe(true)
    const disclosure = "Машины делают это радио."
    const marked = initSegment(128, markOfStation(disclosure))
    expect(boxes(marked).map(({ type }) => type)).toEqual(["ftyp", "moov"])
    expect(Buffer.from(marked).includes(Buffer.from(disclosure))).toBe(true)
  })

  it("puts a part on the broadcast's own timeline, with an offset to its frames", () => {
    const [part] = pack(6_834_083 * 192, 16, [])
    const found = boxes(part!.bytes)
    expect(found.map(({ type }) => type)).toEqual(["moof", "mdat"])
    expect(inside(found, "moof", "traf", "tfdt").getBigUint64(4)).toBe(6_834_083n * 192n * 1_024n)
    const trun = inside(found, "moof", "traf", "trun")
    expect([trun.getUint32(4), trun.getUint32(12)]).toEqual([16, silentFrame.length])
    const offset = trun.getUint32(8)
    expect(part!.bytes.subarray(offset, offset + silentFrame.length)).toEqual(silentFrame)
    expect(found[1]!.body.byteLength).toBe(16 * silentFrame.length)
  })

  it("fills a missing head and lost frames with silence, in whole parts only", () => {
    const parts: Array<Part> = []
    const packer = new PartPacker("aac128", 192 + 7, (part) => parts.push(part))
    packer.feed(
      192 + 7,
      Array.from({ length: 9 }, () => silentFrame)
    )
    packer.feed(192 + 40, [silentFrame])
    expect(parts.map((part) => [part.msn, part.part, part.cut])).toEqual([
      [1, 0, true],
      [1, 1, true]
    ])
    expect(packer.nextPartFrame).toBe(192 + 32)
  })

  it("names an item in the part where it begins, and again where a segment begins", () => {
    const start = 100 * segmentSamples
    const parts = pack(100 * 192, 192 * 2, [label(start - 5, "before"), label(start + 20_000, "within")])
    const told = parts.flatMap((part) =>
      boxes(part.bytes)
        .filter(({ type }) => type === "emsg")
        .map(({ body }) => [part.msn, part.part, Number(body.getBigUint64(8)) - start])
    )
    expect(told).toEqual([
      [100, 0, -5],
      [100, 1, 20_000],
      [101, 0, 20_000]
    ])
  })

  it("carries ID3 under the id of the playlist's date range", () => {
    const [emsg] = boxes(new Uint8Array(labelMessage(label(3_604_414_464, "Night, ‘live’"))))
    const text = Buffer.from(bytesOf(emsg!.body)).toString("utf8")
    expect(emsg!.body.getUint32(20)).toBe(3_604_414_464)
    expect(text).toContain("https://aomedia.org/emsg/ID3\0")
    expect(text).toContain("Night, ‘live’")
    expect(text).toContain("Ann Ö.")
    expect(text).toContain(`event\0${3_604_414_464}`)
  })
})
