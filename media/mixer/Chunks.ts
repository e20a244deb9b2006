import type { StagedSound } from "../../schema/air/Air.ts"
import { stagedChunksMax } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"

/** Sound is read from disk a second at a time. */
export const chunkFrames = sampleRateHz
export const frameBytes = 4

export const chunkKey = (path: string, index: number): string => `${path}#${index}`

/** The bytes of a chunk as frames; fewer at the end of the file. */
export const framesOf = (bytes: Buffer<ArrayBuffer>, length: number): Int16Array =>
  new Int16Array(bytes.buffer, bytes.byteOffset, (length - (length % frameBytes)) / 2)

/** Cache of the most recently used seconds of staged sounds, within its bound; a missing one is requested again. */
export class Chunks {
  readonly #kept = new Map<string, Int16Array>()
  readonly #scratch = new Int16Array(2 * 4_096)
  readonly #missing: (path: string, index: number) => Int16Array | null

  constructor(missing: (path: string, index: number) => Int16Array | null) {
    this.#missing = missing
  }

  /** True if it is here with all its frames; marks it as used. A file that was too short may have been repaired. */
  touch(key: string, frames: number): boolean {
    const chunk = this.#kept.get(key)
    if (chunk === undefined || chunk.length / 2 < frames) return false
    this.#kept.delete(key)
    this.#kept.set(key, chunk)
    return true
  }

  keep(key: string, chunk: Int16Array): void {
    this.#kept.delete(key)
    this.#kept.set(key, chunk)
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= stagedChunksMax) break
      this.#kept.delete(oldest)
    }
  }

  read(sound: StagedSound, from: number, count: number): Int16Array | null {
    for (let done = 0; done < count;) {
      const index = Math.floor((from + done) / chunkFrames)
      const offset = from + done - index * chunkFrames
      const chunk = this.#kept.get(chunkKey(sound.path, index)) ?? this.#missing(sound.path, index)
      if (chunk === null || chunk.length / 2 <= offset) return null
      const take = Math.min(count - done, chunk.length / 2 - offset)
      if (take === count) return chunk.subarray(offset * 2, (offset + count) * 2)
      this.#scratch.set(chunk.subarray(offset * 2, (offset + take) * 2), done * 2)
      done += take
    }
    return this.#scratch.subarray(0, count * 2)
  }
}
