import { promises } from "node:fs"
import type { AirPlan, StagedSound } from "../../schema/air/Air.ts"
import { emergencyIdentsMaxBytes, stagedChunksMax, stagedReadsMax } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { chunkFrames, chunkKey, Chunks, frameBytes, framesOf } from "./Chunks.ts"
import { callAfter } from "../clock/Ticker.ts"

/** Samples of staged sounds for the mixer. */
export interface SoundReader {
  /** `count` stereo frames from `from`, s16 interleaved; null if they aren't loaded. The array is valid until the next call. */
  readonly read: (sound: StagedSound, from: number, count: number) => Int16Array | null
  /** Loads it soon. */
  readonly expect: (sound: StagedSound, from: number) => void
  /** Keeps exactly these loaded, whatever happens to the disk, within the memory bound. */
  readonly hold: (sounds: ReadonlyArray<StagedSound>) => void
}

const chunksAhead = 8
/** Sounds that begin within this time are loaded before their plan takes effect; later ones load by themselves. */
const soonSamples = 2 * sampleRateHz

interface Begin {
  readonly sound: StagedSound
  readonly from: number
}

/**
 * Entry points of the sounds that a plan begins with. One with the entry "now" takes over at its first item, any other at `atSample`, which
 * may lie inside an item on the air. The mixer may have `atOnceSamples` to mix from there without time to read: then every second of that
 * is one.
 */
export const beginsOf = ({ entry, items }: AirPlan, atSample: number, atOnceSamples: number): ReadonlyArray<Begin> => {
  const at = entry === "now" ? (items[0]?.startSample ?? 0) : atSample
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
 * Reads staged files some seconds ahead of the mixer and never makes it wait: missing data is reported as missing. A hanging disk blocks
 * at most `stagedReadsMax` reads of the process.
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
      // Reads refused while the disk hangs are requested again, as long as they are needed.
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
            // The caller finds it missing and may ask again.
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

  /** Resolves when all of these can begin, or can't be read, or when its patience ends. */
  async awaitReady(begins: ReadonlyArray<Begin>, patienceMs: number): Promise<void> {
    for (const { from, sound } of begins) this.expect(sound, from)
    await awaitPatiently(
      begins.flatMap(({ from, sound }) => this.#coming.get(chunkKey(sound.path, Math.floor(from / chunkFrames))) ?? []),
      patienceMs
    )
  }

  /** Resolves when all that has been expected is read, or can't be, or when its patience ends. */
  awaitExpected(patienceMs: number): Promise<void> {
    return awaitPatiently([...this.#coming.values()], patienceMs)
  }

  /** Few at a time: a hanging disk must not block every thread of the file system pool. */
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

const lookMs = 10

/**
 * Waits for reads, but not for ever. A thread that mixes, or gets no processor, isn't told that its reads are done: so the patience ends not by the
 * clock but after as many looks, each of which gives them time to be told.
 */
const awaitPatiently = (reads: ReadonlyArray<Promise<void>>, patienceMs: number): Promise<void> =>
  new Promise((resolve) => {
    let cancel = () => {}
    const look = (leftMs: number) => {
      if (leftMs <= 0) return resolve()
      cancel = callAfter(lookMs, () => look(leftMs - lookMs))
    }
    look(patienceMs)
    void Promise.all(reads).then(() => {
      cancel()
      resolve()
    })
  })

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
