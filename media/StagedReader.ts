import { closeSync, openSync, promises, readSync } from "node:fs"
import type { StagedSound } from "../schema/Air.ts"

/** Gives the mixer samples of staged sounds. Null: they can't be had. */
export interface SoundReader {
  /** `count` stereo frames from `from`, s16 interleaved; the array is only good until the next call. */
  readonly read: (sound: StagedSound, from: number, count: number) => Int16Array | null
  /** It will be asked for this soon. */
  readonly expect: (sound: StagedSound, from: number) => void
}

const chunkFrames = 96_000
const frameBytes = 4
const chunksAhead = 6
const chunksMax = 48

interface Chunk {
  frames: Int16Array | null
}

/**
 * Reads 2 s pieces of the staged files ahead of the mixer, 12 s in all. A piece that is asked for before it has come is read at
 * once: it lies in the page cache, and a late piece is worse than a short wait.
 */
export class StagedReader implements SoundReader {
  readonly #chunks = new Map<string, Chunk>()
  readonly #coming = new Set<string>()
  readonly #scratch = new Int16Array(2 * 4_096)

  read(sound: StagedSound, from: number, count: number): Int16Array | null {
    let done = 0
    while (done < count) {
      const at = from + done
      const index = Math.floor(at / chunkFrames)
      const chunk = this.#chunk(sound, index)
      const offset = at - index * chunkFrames
      const available = (chunk?.length ?? 0) / 2 - offset
      if (chunk === null || available <= 0) return null
      const take = Math.min(count - done, available)
      if (done === 0 && take === count) return chunk.subarray(offset * 2, (offset + count) * 2)
      this.#scratch.set(chunk.subarray(offset * 2, (offset + take) * 2), done * 2)
      done += take
    }
    return this.#scratch.subarray(0, count * 2)
  }

  expect(sound: StagedSound, from: number): void {
    const first = Math.max(0, Math.floor(from / chunkFrames))
    for (let index = first; index < first + chunksAhead && index * chunkFrames < sound.lengthSamples; index++) {
      const key = `${sound.path}#${index}`
      if (this.#chunks.has(key) || this.#coming.has(key)) continue
      this.#coming.add(key)
      void this.#fetch(sound.path, index).then((frames) => this.#keep(key, frames), () => undefined).finally(() => this.#coming.delete(key))
    }
  }

  #chunk(sound: StagedSound, index: number): Int16Array | null {
    const key = `${sound.path}#${index}`
    const kept = this.#chunks.get(key)
    if (kept !== undefined) {
      if ((index + 1) * chunkFrames < sound.lengthSamples) this.expect(sound, (index + 1) * chunkFrames)
      return kept.frames
    }
    try {
      const file = openSync(sound.path, "r")
      try {
        const bytes = Buffer.allocUnsafeSlow(chunkFrames * frameBytes)
        const length = readSync(file, bytes, 0, bytes.length, index * chunkFrames * frameBytes)
        return this.#keep(key, new Int16Array(bytes.buffer, 0, (length - length % frameBytes) / 2))
      } finally {
        closeSync(file)
      }
    } catch {
      return null
    }
  }

  async #fetch(path: string, index: number): Promise<Int16Array> {
    const file = await promises.open(path, "r")
    try {
      const bytes = Buffer.allocUnsafeSlow(chunkFrames * frameBytes)
      const { bytesRead } = await file.read(bytes, 0, bytes.length, index * chunkFrames * frameBytes)
      return new Int16Array(bytes.buffer, 0, (bytesRead - bytesRead % frameBytes) / 2)
    } finally {
      await file.close()
    }
  }

  #keep(key: string, frames: Int16Array): Int16Array {
    this.#chunks.delete(key)
    this.#chunks.set(key, { frames })
    for (const oldest of this.#chunks.keys()) {
      if (this.#chunks.size <= chunksMax) break
      this.#chunks.delete(oldest)
    }
    return frames
  }
}
