import { closeSync, openSync, readSync } from "node:fs"
import type { StagedSound } from "../../schema/air/Air.ts"
import { chunkFrames, chunkKey, Chunks, frameBytes, framesOf } from "./Chunks.ts"
import type { SoundReader } from "./StagedReader.ts"

/** Reads on demand, for rendering without listeners. */
export class OfflineReader implements SoundReader {
  readonly #chunks: Chunks = new Chunks((path, index) => {
    try {
      const file = openSync(path, "r")
      try {
        const bytes = Buffer.allocUnsafeSlow(chunkFrames * frameBytes)
        const chunk = framesOf(bytes, readSync(file, bytes, 0, bytes.length, index * chunkFrames * frameBytes))
        this.#chunks.keep(chunkKey(path, index), chunk)
        return chunk
      } finally {
        closeSync(file)
      }
    } catch {
      return null
    }
  })

  read(sound: StagedSound, from: number, count: number): Int16Array | null {
    return this.#chunks.read(sound, from, count)
  }

  expect(): void {}

  hold(): void {}
}
