import { liveRingSec } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"

const headerBytes = 32
const capacityFrames = liveRingSec * sampleRateHz

/**
 * Live sound on its way to the mixer: interleaved float32 in memory shared by both threads. One writer, one reader. A full ring takes no more,
 * so that the sender is held back; an empty one gives nothing, so that the mixer never waits.
 */
export class LiveRing {
  readonly memory: SharedArrayBuffer
  readonly #header: BigInt64Array
  readonly #pcm: Float32Array

  constructor(memory?: SharedArrayBuffer) {
    this.memory =
      memory ?? new SharedArrayBuffer(headerBytes + capacityFrames * channelsCount * Float32Array.BYTES_PER_ELEMENT)
    this.#header = new BigInt64Array(this.memory, 0, 3)
    this.#pcm = new Float32Array(this.memory, headerBytes)
  }

  get #written(): number {
    return Number(Atomics.load(this.#header, 0))
  }

  get #read(): number {
    return Number(Atomics.load(this.#header, 1))
  }

  /** Frames that can be taken. */
  get frames(): number {
    return this.#written - this.#read
  }

  /** How often the reader has found too little while it wanted sound. */
  get dryCount(): number {
    return Number(Atomics.load(this.#header, 2))
  }

  /** For the reader. */
  noteDry(): void {
    Atomics.add(this.#header, 2, 1n)
  }

  get freeFrames(): number {
    return capacityFrames - this.frames
  }

  /** Takes in as many frames as fit, and answers how many. For the writer. */
  write(pcm: Float32Array): number {
    const frames = Math.min(this.freeFrames, Math.floor(pcm.length / channelsCount))
    const at = this.#written
    const offset = (at % capacityFrames) * channelsCount
    const head = Math.min(frames * channelsCount, this.#pcm.length - offset)
    this.#pcm.set(pcm.subarray(0, head), offset)
    this.#pcm.set(pcm.subarray(head, frames * channelsCount), 0)
    Atomics.store(this.#header, 0, BigInt(at + frames))
    return frames
  }

  /** Fills `out` with the oldest frames; false, and nothing is taken, when there are fewer. For the reader. */
  take(out: Float32Array): boolean {
    const frames = out.length / channelsCount
    if (this.frames < frames) return false
    const at = this.#read
    const offset = (at % capacityFrames) * channelsCount
    const head = Math.min(out.length, this.#pcm.length - offset)
    out.set(this.#pcm.subarray(offset, offset + head), 0)
    out.set(this.#pcm.subarray(0, out.length - head), head)
    Atomics.store(this.#header, 1, BigInt(at + frames))
    return true
  }

  /** Drops the oldest frames but these. Whoever reads may do it: the mixer on the air, the chain before. */
  keep(frames: number): void {
    const written = this.#written
    if (written - this.#read > frames) Atomics.store(this.#header, 1, BigInt(written - frames))
  }
}
