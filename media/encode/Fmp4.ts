import { markFields, stationMark, type Synthetic, type SyntheticMark } from "../../schema/Synthetic.ts"
import { aacFrameSamples } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"
import { audioSpecificConfig } from "./Adts.ts"

const u8 = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

const u16 = (value: number) => u8(value >>> 8, value)

const u32 = (value: number) => u8(value >>> 24, value >>> 16, value >>> 8, value)

const u64 = (value: number) => {
  const out = new Uint8Array(8)
  new DataView(out.buffer).setBigUint64(0, BigInt(value))
  return out
}

const zeros = (count: number) => new Uint8Array(count)

const text = (value: string) => new TextEncoder().encode(value)

export const join = (pieces: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const out = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    out.set(piece, at)
    at += piece.length
  }
  return out
}

const box = (type: string, ...content: ReadonlyArray<Uint8Array>) => {
  const body = join(content)
  return join([u32(body.length + 8), text(type), body])
}

const fullBox = (type: string, version: number, flags: number, ...content: ReadonlyArray<Uint8Array>) =>
  box(type, u32((version << 24) | flags), ...content)

const matrix = join([u32(0x10000), zeros(12), u32(0x10000), zeros(12), u32(0x40000000)])

const descriptor = (tag: number, ...content: ReadonlyArray<Uint8Array>) => {
  const body = join(content)
  return join([u8(tag, body.length), body])
}

/** Free-form tags in iTunes' format, which common players and probes read. */
const tag = (name: string, value: string) =>
  box(
    "----",
    fullBox("mean", 0, 0, text("com.apple.iTunes")),
    fullBox("name", 0, 0, text(name)),
    fullBox("data", 0, 1, u32(0), text(value))
  )

/** The mark of the whole station; marks of single items come in their event messages. */
const stationTags = (mark: SyntheticMark) =>
  box(
    "udta",
    fullBox(
      "meta",
      0,
      0,
      fullBox("hdlr", 0, 0, u32(0), text("mdirappl"), zeros(9)),
      box("ilst", ...markFields(mark).map(([name, value]) => tag(name, value)))
    )
  )

/** Init segment: one audio track of AAC-LC whose timescale is the sample rate. */
export const initSegment = (bitrateKbps: number, mark = stationMark): Uint8Array<ArrayBuffer> => {
  const bitrate = bitrateKbps * 1000
  const esds = fullBox(
    "esds",
    0,
    0,
    descriptor(
      3,
      u16(0),
      u8(0),
      descriptor(4, u8(0x40, 0x15, 0, 0, 0), u32(bitrate), u32(bitrate), descriptor(5, audioSpecificConfig)),
      descriptor(6, u8(2))
    )
  )
  const mp4a = box(
    "mp4a",
    zeros(6),
    u16(1),
    zeros(8),
    u16(channelsCount),
    u16(16),
    zeros(4),
    u32(sampleRateHz * 65_536),
    esds
  )
  const stbl = box(
    "stbl",
    fullBox("stsd", 0, 0, u32(1), mp4a),
    fullBox("stts", 0, 0, u32(0)),
    fullBox("stsc", 0, 0, u32(0)),
    fullBox("stsz", 0, 0, u32(0), u32(0)),
    fullBox("stco", 0, 0, u32(0))
  )
  const minf = box(
    "minf",
    fullBox("smhd", 0, 0, zeros(4)),
    box("dinf", fullBox("dref", 0, 0, u32(1), fullBox("url ", 0, 1))),
    stbl
  )
  const mdia = box(
    "mdia",
    fullBox("mdhd", 0, 0, zeros(8), u32(sampleRateHz), u32(0), u16(0x55c4), u16(0)),
    fullBox("hdlr", 0, 0, u32(0), text("soun"), zeros(12), text("Longwave\0")),
    minf
  )
  const tkhd = fullBox(
    "tkhd",
    0,
    7,
    zeros(8),
    u32(1),
    zeros(4),
    u32(0),
    zeros(8),
    u16(0),
    u16(0),
    u16(0x100),
    u16(0),
    matrix,
    zeros(8)
  )
  const mvhd = fullBox(
    "mvhd",
    0,
    0,
    zeros(8),
    u32(sampleRateHz),
    u32(0),
    u32(0x10000),
    u16(0x100),
    zeros(10),
    matrix,
    zeros(24),
    u32(2)
  )
  const mvex = box("mvex", fullBox("trex", 0, 0, u32(1), u32(1), u32(aacFrameSamples), u32(0), u32(0)))
  return join([
    box("ftyp", text("iso6"), u32(1), text("iso6cmfcmp41")),
    box("moov", mvhd, box("trak", tkhd, mdia), mvex, stationTags(mark))
  ])
}

const id3Size = (size: number) => u8((size >> 21) & 127, (size >> 14) & 127, (size >> 7) & 127, size & 127)

const id3Frame = (name: string, value: string) => {
  const body = join([u8(3), text(value)])
  return join([text(name), id3Size(body.length), u16(0), body])
}

/** An item as players show it. `id` is that of its EXT-X-DATERANGE. */
export interface TimedLabel {
  readonly id: number
  readonly atSample: number
  readonly title: string
  readonly artist: string | null
  readonly kind: string
  /** Labels in journals from before there were marks have none. */
  readonly synthetic?: Synthetic
}

/** ID3v2.4 in an event message with its own time, so that the title changes when it is heard. */
export const labelMessage = (label: TimedLabel): Uint8Array => {
  const frames = join([
    id3Frame("TIT2", label.title),
    ...(label.artist === null ? [] : [id3Frame("TPE1", label.artist)]),
    id3Frame("TXXX", `kind\0${label.kind}`),
    id3Frame("TXXX", `event\0${label.id}`),
    ...(label.synthetic == null ? [] : markFields(label.synthetic)).map(([name, value]) =>
      id3Frame("TXXX", `${name}\0${value}`)
    )
  ])
  const tag = join([text("ID3"), u8(4, 0, 0), id3Size(frames.length), frames])
  return fullBox(
    "emsg",
    1,
    0,
    u32(sampleRateHz),
    u64(label.atSample),
    u32(0xffffffff),
    u32(label.id),
    text("https://aomedia.org/emsg/ID3\0"),
    text("\0"),
    tag
  )
}

/** A run of AAC frames as a fragment on the broadcast's timeline. */
export const fragment = (ask: {
  readonly sequence: number
  readonly firstFrame: number
  readonly frames: ReadonlyArray<Uint8Array>
  readonly labels: ReadonlyArray<TimedLabel>
}): Uint8Array<ArrayBuffer> => {
  const moof = (dataOffset: number) =>
    box(
      "moof",
      fullBox("mfhd", 0, 0, u32(ask.sequence)),
      box(
        "traf",
        fullBox("tfhd", 0, 0x02_0028, u32(1), u32(aacFrameSamples), u32(0x0200_0000)),
        fullBox("tfdt", 1, 0, u64(ask.firstFrame * aacFrameSamples)),
        fullBox(
          "trun",
          0,
          0x0201,
          u32(ask.frames.length),
          u32(dataOffset),
          ...ask.frames.map((frame) => u32(frame.length))
        )
      )
    )
  const size = moof(0).length
  return join([...ask.labels.map(labelMessage), moof(size + 8), box("mdat", ...ask.frames)])
}
