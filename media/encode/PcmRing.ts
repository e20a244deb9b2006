import { pcmRingSec } from "../../engine/rules/air/limits.ts"
import { channelsCount, sampleRateHz } from "../../schema/time/Samples.ts"

const headerBytes = 64
const capacity = pcmRingSec * sampleRateHz
const frameBytes = channelsCount * Float32Array.BYTES_PER_ELEMENT
const bytes = headerBytes + capacity * frameBytes

/**
 * The last seconds of the programme as interleaved float32, in memory shared by both threads, so that the next worker reads what a dead
 * one mixed. One writer, any number of readers.
 */
export class PcmRing {
  readonly memory: SharedArrayBuffer
  readonly #header: BigInt64Array
  readonly #pcm: Float32Array

  constructor(memory: SharedArrayBuffer = new SharedArrayBuffer(bytes)) {
    this.memory = memory
    this.#header = new BigInt64Array(memory, 0, headerBytes / BigInt64Array.BYTES_PER_ELEMENT)
    this.#pcm = new Float32Array(memory, headerBytes)
  }

  /** Start of the programme; silence before it. */
  begin(sample: number): void {
    Atomics.store(this.#header, 0, BigInt(sample))
    Atomics.store(this.#header, 1, BigInt(sample))
  }

  /** First sample not yet written. */
  get writtenTo(): number {
    return Number(Atomics.load(this.#header, 0))
  }

  /** First sample still readable. */
  get oldest(): number {
    return Math.max(Number(Atomics.load(this.#header, 1)), this.writtenTo - capacity)
  }

  /** Last heartbeat of the writer, on the monotonic clock; 0 before the first. */
  get beatMs(): number {
    return Number(Atomics.load(this.#header, 2)) / 1000
  }

  beat(monoMs: number): void {
    Atomics.store(this.#header, 2, BigInt(Math.round(monoMs * 1000)))
  }

  /** System id of the writer's thread; 0 if unknown. */
  get writer(): number {
    return Number(Atomics.load(this.#header, 3))
  }

  setWriter(thread: number): void {
    Atomics.store(this.#header, 3, BigInt(thread))
  }

  write(block: Float32Array): void {
    const at = this.writtenTo
    const offset = (at % capacity) * channelsCount
    const head = Math.min(block.length, this.#pcm.length - offset)
    this.#pcm.set(block.subarray(0, head), offset)
    this.#pcm.set(block.subarray(head), 0)
    Atomics.store(this.#header, 0, BigInt(at + block.length / channelsCount))
  }

  /** `[from, to)` as views in order, valid until the ring wraps. Only the silence before the start is a copy. */
  pieces(from: number, to: number): ReadonlyArray<Uint8Array> {
    const first = Math.min(to, Math.max(from, this.oldest))
    const found: Array<Uint8Array> = first > from ? [new Uint8Array(this.read(from, first).buffer)] : []
    for (let at = first; at < to;) {
      const place = at % capacity
      const count = Math.min(to - at, capacity - place)
      found.push(new Uint8Array(this.memory, headerBytes + place * frameBytes, count * frameBytes))
      at += count
    }
    return found
  }

  /** A copy of `[from, to)`; silence where nothing was written. */
  read(from: number, to: number): Float32Array<ArrayBuffer> {
    const out = new Float32Array(Math.max(0, to - from) * channelsCount)
    const first = Math.max(from, this.oldest)
    const last = Math.min(to, this.writtenTo)
    for (let at = first; at < last;) {
      const place = at % capacity
      const count = Math.min(last - at, capacity - place)
      out.set(this.#pcm.subarray(place * channelsCount, (place + count) * channelsCount), (at - from) * channelsCount)
      at += count
    }
    return out
  }
}
