import { BrokenStream, type FrameSplitter, splitter } from "./Adts.ts"

const bitratesKbps = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320]

export const mp3FrameSamples = 1_152

/** Whole MP3 frames (MPEG-1 layer III, 48 kHz) with their headers. */
export const mp3Splitter = (): FrameSplitter =>
  splitter(4, (bytes, at) => {
    const bitrate = bitratesKbps[bytes[at + 2]! >> 4]
    if (bytes[at] !== 0xff || (bytes[at + 1]! & 0xfe) !== 0xfa || bitrate === undefined || bitrate === 0)
      throw new BrokenStream("no MP3 header")
    return 3 * bitrate + ((bytes[at + 2]! >> 1) & 1)
  })
