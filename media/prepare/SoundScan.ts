import { createHash } from "node:crypto"
import { stat } from "node:fs/promises"
import { envelopeMs, peaksCount } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { chunksOf, disk } from "../storage/MediaStore.ts"

export const envelopeSamples = (sampleRateHz * envelopeMs) / 1000
const frameBytes = 4

/** All data from one pass over mastered PCM. */
export interface SoundScan {
  readonly lengthSamples: number
  readonly pcmSha256: string
  /** Peak of each 10 ms of both channels, 0–255; rounded up, so that no sound is 0. */
  readonly envelope: Uint8Array<ArrayBuffer>
  /** Pairs of lowest and highest sample, −127…127. */
  readonly peaks: ReadonlyArray<number>
}

/** Reads 48 kHz stereo s16le from a file. */
export const scanSound = (path: string) =>
  disk(async (signal): Promise<SoundScan> => {
    const lengthSamples = Math.floor((await stat(path)).size / frameBytes)
    const hash = createHash("sha256")
    const envelope = new Uint8Array(Math.ceil(lengthSamples / envelopeSamples))
    const lows = new Int16Array(peaksCount)
    const highs = new Int16Array(peaksCount)
    let frame = 0
    let rest: Buffer = Buffer.alloc(0)
    for await (const chunk of chunksOf(path, signal)) {
      hash.update(chunk)
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
      const frames = Math.floor(bytes.length / frameBytes)
      for (let i = 0; i < frames && frame < lengthSamples; i++, frame++) {
        const left = bytes.readInt16LE(i * frameBytes)
        const right = bytes.readInt16LE(i * frameBytes + 2)
        const size = Math.max(Math.abs(left), Math.abs(right))
        const loud = Math.ceil((size * 255) / 32_768)
        const slot = (frame / envelopeSamples) | 0
        if (loud > envelope[slot]!) envelope[slot] = loud
        const pair = Math.floor((frame * peaksCount) / lengthSamples)
        lows[pair] = Math.min(lows[pair]!, left, right)
        highs[pair] = Math.max(highs[pair]!, left, right)
      }
      rest = Buffer.from(bytes.subarray(frames * frameBytes))
    }
    const peaks: Array<number> = []
    for (let i = 0; i < peaksCount; i++) {
      peaks.push(
        Math.max(-127, Math.round((lows[i]! * 127) / 32_768)),
        Math.min(127, Math.round((highs[i]! * 127) / 32_768))
      )
    }
    return { lengthSamples, pcmSha256: hash.digest("hex"), envelope, peaks }
  })
