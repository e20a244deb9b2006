/** Valid MPEG-1 layer III frames, 128 kbit/s at 48 kHz, that decode to silence: without main data, and with their number in the ancillary bytes. */
export const frameBytes = 384
export const frameMs = 24
const header = 0xfffb9404
const numberAt = 36
const sync = Buffer.from([0xff, 0xfb, 0x94, 0x04])

export const numberedFrame = (number: number): Buffer => {
  const frame = Buffer.alloc(frameBytes)
  frame.writeUInt32BE(header, 0)
  frame.writeUInt32BE(number, numberAt)
  return frame
}

/** `count` consecutive frames from `first`. */
export const numberedFrames = (first: number, count: number): Buffer =>
  Buffer.concat(Array.from({ length: count }, (_, index) => numberedFrame(first + index)))

/** Checks one listener's stream in any chunks: each frame is whole, its header valid, its number one more than the last. */
export class FrameChecker {
  readonly #held = Buffer.alloc(numberAt + 4)
  #at = 0
  frames = 0
  faults = 0
  last = -1
  /** Bytes before the first whole frame, from a server that cuts anywhere. */
  strayBytes = 0
  #found = false

  take(bytes: Buffer): void {
    let from = this.#found ? 0 : this.#seek(bytes)
    while (from < bytes.length) {
      if (this.#at === 0 && bytes.length - from >= frameBytes) {
        this.#saw(bytes.readUInt32BE(from), bytes.readUInt32BE(from + numberAt))
        from += frameBytes
        continue
      }
      const taken = Math.min(frameBytes - this.#at, bytes.length - from)
      if (this.#at < this.#held.length)
        bytes.copy(this.#held, this.#at, from, from + Math.min(taken, this.#held.length - this.#at))
      this.#at += taken
      from += taken
      if (this.#at < frameBytes) continue
      this.#at = 0
      this.#saw(this.#held.readUInt32BE(0), this.#held.readUInt32BE(numberAt))
    }
  }

  #seek(bytes: Buffer): number {
    const at = bytes.indexOf(sync)
    this.#found = at !== -1
    const from = this.#found ? at : bytes.length
    this.strayBytes += from
    return from
  }

  #saw(head: number, number: number): void {
    if (head !== header || (this.last !== -1 && number !== this.last + 1)) this.faults += 1
    this.frames += 1
    this.last = number
  }
}
