import type { StagedSound } from "../schema/Air.ts"
import { sampleRateHz } from "../engine/Limits.ts"
import { cellFrames } from "./Limiter.ts"
import type { SoundReader } from "./StagedReader.ts"
import { addTone } from "./Tone.ts"

/** Shorter sounds are idents: they interrupt the bed, they don't carry it. */
const carriesSamples = 20 * sampleRateHz
const identEverySamples = 30 * sampleRateHz
const scale = 1 / 32_768

/**
 * What plays when the plan has a hole: the library's long sounds one after the other, without end; without any that can be read,
 * the station's own bed, with a spoken ident over it now and then where there is one.
 */
export class EmergencyProgramme {
  readonly #read: SoundReader
  #long: ReadonlyArray<StagedSound> = []
  #idents: ReadonlyArray<StagedSound> = []
  #turn = 0
  #at = 0
  #playedSamples = 0

  constructor(read: SoundReader) {
    this.#read = read
  }

  stock(sounds: ReadonlyArray<StagedSound>): void {
    this.#long = sounds.filter(({ lengthSamples }) => lengthSamples >= carriesSamples)
    this.#idents = sounds.filter(({ lengthSamples }) => lengthSamples < carriesSamples)
    if (this.#turn >= this.#long.length) {
      this.#turn = 0
      this.#at = 0
    }
  }

  /** Adds one cell at a gain moving from `from` to `to`; answers which sound it was, null for the bed. */
  add(out: Float32Array, atSample: number, from: number, to: number): StagedSound | null {
    for (let tries = 0; tries < this.#long.length; tries++) {
      const sound = this.#long[this.#turn]!
      const gain = 10 ** (sound.gainDb / 20)
      const position = sound.cue.cueIn + this.#at
      const frames = position + cellFrames <= sound.cue.cueOut ? this.#read.read(sound, position, cellFrames) : null
      if (frames !== null) {
        this.#add(out, frames, from * gain, to * gain)
        this.#at += cellFrames
        return sound
      }
      this.#turn = (this.#turn + 1) % this.#long.length
      this.#at = 0
    }
    addTone(out, atSample, from, to)
    this.#ident(out, from, to)
    return null
  }

  #ident(out: Float32Array, from: number, to: number): void {
    const turn = Math.floor(this.#playedSamples / identEverySamples)
    const within = this.#playedSamples % identEverySamples
    this.#playedSamples += cellFrames
    const ident = this.#idents[turn % Math.max(1, this.#idents.length)]
    if (ident === undefined || within + cellFrames > ident.lengthSamples) return
    const frames = this.#read.read(ident, within, cellFrames)
    if (frames !== null) this.#add(out, frames, from, to)
  }

  #add(out: Float32Array, frames: Int16Array, from: number, to: number): void {
    const step = (to - from) / cellFrames
    for (let frame = 0; frame < cellFrames; frame++) {
      const gain = (from + step * frame) * scale
      out[frame * 2]! += frames[frame * 2]! * gain
      out[frame * 2 + 1]! += frames[frame * 2 + 1]! * gain
    }
  }
}
