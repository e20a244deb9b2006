import { promises } from "node:fs"
import type { AirPlan, StagedSound } from "../../schema/air/Air.ts"
import { emergencyIdentsMaxBytes, stagedChunksMax, stagedReadsMax } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { chunkFrames, chunkKey, Chunks, frameBytes, framesOf } from "./Chunks.ts"
import { after } from "../clock/Ticker.ts"

/** Gives the mixer samples of staged sounds. */
export interface SoundReader {
  /** `count` stereo frames from `from`, s16 interleaved; null when they aren't at hand. The array is only good until the next call. */
  readonly read: (sound: StagedSound, from: number, count: number) => Int16Array | null
  /** It will be asked for this soon. */
  readonly expect: (sound: StagedSound, from: number) => void
  /** These, and no others, must be at hand whatever becomes of the disk, as far as there is room for them. */
  readonly hold: (sounds: ReadonlyArray<StagedSound>) => void
}

const chunksAhead = 8
/** What begins within this time has to be at hand before its plan is in force; later ones come by themselves. */
const soonSamples = 2 * sampleRateHz

interface Begin {
  readonly sound: StagedSound
  readonly from: number
}

/**
 * Where the sounds are entered that a plan begins with; it may take over in the middle of one that is on the air at `atSample`, and
 * have so much to mix at once that there is no time to read in between: then every second of that is one.
 */
export const beginsOf = ({ items }: AirPlan, atSample: number | null, atOnceSamples = 0): ReadonlyArray<Begin> => {
  const at = atSample ?? items[0]?.startSample ?? 0
  return items
    .filter(
      ({ sound: { cue }, startSample }) =>
        startSample < at + atOnceSamples + soonSamples && startSample + cue.cueOut - cue.cueIn > at
    )
    .flatMap(({ bed, sound, startSample }) => {
      const first = Math.max(0, at - startSample)
      const more = Math.max(0, Math.ceil((at + atOnceSamples - startSample - first) / chunkFrames))
      return Array.from({ length: 1 + more }, (_, second) => first + second * chunkFrames).flatMap((elapsed) => [
        { sound, from: sound.cue.cueIn + elapsed },
        ...(bed === null
          ? []
          : [{ sound: bed, from: bed.cue.cueIn + (elapsed % Math.max(1, bed.cue.cueOut - bed.cue.cueIn)) }])
      ])
    })
}

/**
 * Reads staged files some seconds ahead of the mixer and never lets it wait: what hasn't come when it is asked for isn't there.
 * A disk that hangs takes no more of the process with it than `stagedReadsMax` reads.
 */
export class StagedReader implements SoundReader {
  readonly #chunks = new Chunks(() => null)
  readonly #coming = new Map<string, Promise<void>>()
  readonly #queue: Array<() => Promise<void>> = []
  readonly #held = new Map<string, Int16Array | null>()
  #reading = 0

  read(sound: StagedSound, from: number, count: number): Int16Array | null {
    const whole = this.#held.get(sound.path)
    if (whole == null) return this.#chunks.read(sound, from, count)
    return (from + count) * 2 <= whole.length ? whole.subarray(from * 2, (from + count) * 2) : null
  }

  expect(sound: StagedSound, from: number): void {
    if (this.#held.get(sound.path) != null) return
    const first = Math.max(0, Math.floor(from / chunkFrames))
    for (let index = first; index < first + chunksAhead && index * chunkFrames < sound.lengthSamples; index++) {
      const key = chunkKey(sound.path, index)
      // What is refused while the disk hangs is asked for again, as long as it is still wanted.
      if (
        this.#chunks.touch(key, Math.min(chunkFrames, sound.lengthSamples - index * chunkFrames)) ||
        this.#coming.has(key) ||
        this.#queue.length >= stagedChunksMax
      )
        continue
      this.#coming.set(
        key,
        this.#inTurn(async () => {
          try {
            this.#chunks.keep(key, await framesAt(sound.path, index * chunkFrames, chunkFrames))
          } catch {
            // Whoever asks for it finds that it isn't there, and may ask again.
          } finally {
            this.#coming.delete(key)
          }
        })
      )
    }
  }

  hold(sounds: ReadonlyArray<StagedSound>): void {
    let bytes = 0
    const wanted = sounds.filter(({ lengthSamples }) => {
      const fits = bytes + lengthSamples * frameBytes <= emergencyIdentsMaxBytes
      if (fits) bytes += lengthSamples * frameBytes
      return fits
    })
    for (const path of this.#held.keys()) if (!wanted.some((sound) => sound.path === path)) this.#held.delete(path)
    for (const { lengthSamples, path } of wanted) {
      if (this.#held.has(path)) continue
      this.#held.set(path, null)
      void this.#inTurn(async () => {
        const whole = await framesAt(path, 0, lengthSamples).catch(() => null)
        if (!this.#held.has(path)) return
        if (whole === null || whole.length / 2 < lengthSamples) this.#held.delete(path)
        else this.#held.set(path, whole)
      })
    }
  }

  /** Resolves when all of these can be begun, or can't be read, and after `withinMs` at the latest. */
  async ready(begins: ReadonlyArray<Begin>, withinMs: number): Promise<void> {
    for (const { from, sound } of begins) this.expect(sound, from)
    const coming = begins.flatMap(
      ({ from, sound }) => this.#coming.get(chunkKey(sound.path, Math.floor(from / chunkFrames))) ?? []
    )
    if (coming.length === 0) return
    await new Promise<void>((resolve) => {
      const cancel = after(withinMs, resolve)
      void Promise.all(coming).then(() => {
        cancel()
        resolve()
      })
    })
  }

  /** Few at a time: a disk that hangs must not take every thread that files are read with. */
  #inTurn(read: () => Promise<void>): Promise<void> {
    return new Promise((resolve) => {
      this.#queue.push(() => read().finally(resolve))
      this.#next()
    })
  }

  #next(): void {
    if (this.#reading >= stagedReadsMax) return
    const read = this.#queue.shift()
    if (read === undefined) return
    this.#reading += 1
    void read().finally(() => {
      this.#reading -= 1
      this.#next()
    })
  }
}

const framesAt = async (path: string, from: number, count: number): Promise<Int16Array> => {
  const file = await promises.open(path, "r")
  try {
    const bytes = Buffer.allocUnsafeSlow(count * frameBytes)
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from * frameBytes)
    return framesOf(bytes, bytesRead)
  } finally {
    await file.close()
  }
}
