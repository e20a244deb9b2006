import type { StagedSound } from "../../schema/air/Air.ts"
import { addFrames, linear } from "./Fade.ts"
import { cellFrames } from "./Limiter.ts"
import type { SoundReader } from "./StagedReader.ts"

/** One sound of the emergency programme from cue-in to cue-out, a cell at a time, faded at both ends and wherever it breaks off. */
export class Deck {
  readonly sound: StagedSound
  readonly #read: SoundReader
  readonly #levelPerCell: number
  readonly #gains = new Float32Array(cellFrames)
  #at = 0
  #level: number
  #leaving = false

  constructor(sound: StagedSound, read: SoundReader, options: { readonly fadeCells: number; readonly level: number }) {
    this.sound = sound
    this.#read = read
    this.#levelPerCell = 1 / options.fadeCells
    this.#level = options.level
  }

  /** Whether it continues: it isn't near its end, and the next samples are loaded. */
  get goesOn(): boolean {
    const { cueIn, cueOut } = this.sound.cue
    const endSamples = cueOut - cueIn - (Math.ceil(1 / this.#levelPerCell) + 1) * cellFrames
    return !this.#leaving && this.#at <= endSamples && this.#reaches(2)
  }

  get isLeaving(): boolean {
    return this.#leaving
  }

  /** Fades it out and ends it. */
  leave(): void {
    this.#leaving = true
  }

  expect(): void {
    this.#read.expect(this.sound, this.sound.cue.cueIn + this.#at)
  }

  #reaches(cells: number): boolean {
    const { cueIn, cueOut } = this.sound.cue
    return this.#read.read(this.sound, Math.min(cueOut, cueIn + this.#at + cells * cellFrames) - 1, 1) !== null
  }

  /** Adds one cell at a gain that moves from `from` to `to`; false when it is over. */
  add(out: Float32Array, from: number, to: number): boolean {
    const count = Math.min(cellFrames, this.sound.cue.cueOut - this.sound.cue.cueIn - this.#at)
    const before = this.#level
    if (this.#leaving) this.#level = this.#reaches(2) ? Math.max(0, before - this.#levelPerCell) : 0
    else this.#level = Math.min(1, before + this.#levelPerCell)
    const gain = linear(this.sound.gainDb)
    const begin = from * gain * Math.sin((Math.PI / 2) * before)
    const step = (to * gain * Math.sin((Math.PI / 2) * this.#level) - begin) / cellFrames
    for (let frame = 0; frame < count; frame++) this.#gains[frame] = begin + step * frame
    const frames =
      count <= 0 || (before === 0 && this.#level === 0)
        ? null
        : this.#read.read(this.sound, this.sound.cue.cueIn + this.#at, count)
    this.#at += cellFrames
    if (frames === null) return false
    addFrames(out, 0, frames, this.#gains)
    return !this.#leaving || this.#level > 0
  }
}
