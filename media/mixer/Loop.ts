import type { StagedSound } from "../../schema/air/Air.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { addFrames, fade } from "./Fade.ts"
import { cellFrames } from "./Limiter.ts"
import type { SoundReader } from "./StagedReader.ts"

const seamMaxSamples = sampleRateHz * 0.05

/** A sound that loops between its cues; its end is cross-faded with its beginning to hide the seam. */
export class Loop {
  readonly sound: StagedSound
  readonly #read: SoundReader
  readonly #turn: number
  readonly #seam: number
  readonly #gains = new Float32Array(cellFrames)

  constructor(sound: StagedSound, read: SoundReader) {
    const length = Math.max(2, sound.cue.cueOut - sound.cue.cueIn)
    this.sound = sound
    this.#read = read
    this.#seam = Math.min(seamMaxSamples, length >> 1)
    this.#turn = length - this.#seam
  }

  /** Whether the frame at this distance from the beginning is loaded. */
  isLoadedAt(elapsed: number): boolean {
    return this.#read.read(this.sound, this.sound.cue.cueIn + (elapsed % this.#turn), 1) !== null
  }

  /** Asks for the samples from `elapsed` on to be read, and for those at the beginning, which follow the end of the loop. */
  expect(elapsed: number): void {
    this.#read.expect(this.sound, this.sound.cue.cueIn + (elapsed % this.#turn))
    this.#read.expect(this.sound, this.sound.cue.cueIn)
  }

  /** Adds as many frames as there are gains, from `elapsed` on; false if they aren't loaded. */
  add(cell: Float32Array, offset: number, elapsed: number, gains: Float32Array): boolean {
    for (let done = 0; done < gains.length;) {
      const at = (elapsed + done) % this.#turn
      const joins = elapsed + done >= this.#turn && at < this.#seam
      const take = Math.min(gains.length - done, (joins ? this.#seam : this.#turn) - at)
      const part = gains.subarray(done, done + take)
      if (!this.#add(cell, offset + done, at, part, joins ? "in" : null)) return false
      if (joins && !this.#add(cell, offset + done, this.#turn + at, part, "out")) return false
      done += take
    }
    return true
  }

  #add(cell: Float32Array, offset: number, at: number, gains: Float32Array, direction: "in" | "out" | null): boolean {
    const frames = this.#read.read(this.sound, this.sound.cue.cueIn + at, gains.length)
    if (frames === null) return false
    const own = this.#gains.subarray(0, gains.length)
    own.set(gains)
    if (direction !== null)
      fade(own, at, at + gains.length, { direction, from: direction === "in" ? 0 : this.#turn, samples: this.#seam })
    addFrames(cell, offset, frames, own)
    return true
  }
}
