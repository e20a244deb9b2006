import type { OutputId } from "../../schema/air/Air.ts"
import { aacFrameSamples } from "../../engine/rules/air/limits.ts"
import { adtsSplitter, type FrameSplitter } from "./Adts.ts"
import { mp3FrameSamples, mp3Splitter } from "./Mp3Frames.ts"

/** One encoding of the programme. Frame `n` begins at the same sample of the broadcast after every start. */
export interface Rendition {
  readonly id: OutputId
  readonly bitrateKbps: number
  readonly frameSamples: number
  /** Frames before the one that begins at the first sample fed: priming of the AAC encoder. */
  readonly primingFrames: number
  readonly arguments: ReadonlyArray<string>
  readonly splitter: () => FrameSplitter
}

const aac = (id: OutputId, bitrateKbps: number): Rendition => ({
  id,
  bitrateKbps,
  frameSamples: aacFrameSamples,
  primingFrames: 1,
  arguments: ["-c:a", "aac", "-b:a", `${bitrateKbps}k`, "-f", "adts"],
  splitter: adtsSplitter
})

export const renditions = {
  aac128: aac("aac128", 128),
  aac64: aac("aac64", 64),
  mp3: {
    id: "mp3",
    bitrateKbps: 128,
    frameSamples: mp3FrameSamples,
    primingFrames: 0,
    // Without the bit reservoir every frame stands alone, so frames of different encoders can follow each other.
    arguments: [
      "-c:a",
      "libmp3lame",
      "-b:a",
      "128k",
      "-reservoir",
      "0",
      "-write_xing",
      "0",
      "-id3v2_version",
      "0",
      "-f",
      "mp3"
    ],
    splitter: mp3Splitter
  }
} as const satisfies Record<OutputId, Rendition>

/** Interleaved float32 on stdin, frames on stdout as soon as each is done. */
export const encoderArguments = (rendition: Rendition): ReadonlyArray<string> => [
  "-hide_banner",
  "-v",
  "error",
  "-nostdin",
  // Not "nobuffer": it discards the probed block, and with it the first 1,024 samples.
  "-probesize",
  "32",
  "-analyzeduration",
  "0",
  "-f",
  "f32le",
  "-ar",
  "48000",
  "-ac",
  "2",
  "-i",
  "pipe:0",
  ...rendition.arguments,
  "-flush_packets",
  "1",
  "pipe:1"
]
