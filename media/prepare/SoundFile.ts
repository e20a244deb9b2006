import type { SoundFile } from "../../engine/ports/Prepare.ts"
import { chunksOf, disk } from "../storage/MediaStore.ts"
import { Look } from "./Quality.ts"

const blockFloats = 131_072

/**
 * A file of float32 in blocks, always in the same buffer: valid until the next block. Yields to other work of this thread between blocks
 * of a few milliseconds.
 */
export const floatsOf = async function* (path: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  const floats = new Float32Array(blockFloats)
  const bytes = new Uint8Array(floats.buffer)
  let held = 0
  for await (const chunk of chunksOf(path, signal)) {
    for (let at = 0; at < chunk.length;) {
      const taken = Math.min(bytes.length - held, chunk.length - at)
      bytes.set(chunk.subarray(at, at + taken), held)
      at += taken
      held += taken
      if (held < bytes.length) continue
      yield floats
      held = 0
    }
  }
  if (held >= 4) yield floats.subarray(0, held >> 2)
}

/** Findings of a sound in a file. */
export const lookAtFile = ({ path, sampleRateHz }: SoundFile) =>
  disk(async (signal) => {
    const look = new Look(2, sampleRateHz)
    const [left, right] = [new Float32Array(blockFloats / 2), new Float32Array(blockFloats / 2)]
    for await (const block of floatsOf(path, signal)) {
      const frames = block.length >> 1
      for (let i = 0; i < frames; i++) {
        left[i] = block[2 * i]!
        right[i] = block[2 * i + 1]!
      }
      look.see([left.subarray(0, frames), right.subarray(0, frames)])
    }
    return look.findings
  })
