import type { StagedSound } from "../../schema/air/Air.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Deck } from "./Deck.ts"
import { Duck } from "./Ducking.ts"
import { linear } from "./Fade.ts"
import { cellFrames } from "./Limiter.ts"
import type { SoundReader } from "./StagedReader.ts"
import { addTone } from "./Tone.ts"

/** Shorter sounds are idents: they interrupt the bed and don't carry the programme. */
const carriesSamples = 20 * sampleRateHz
/** Interval between two idents, from the end of one: shorter, and listeners would hear little else. */
const bedBetweenCells = (25 * sampleRateHz) / cellFrames
const songsBetweenCells = (240 * sampleRateHz) / cellFrames
const joinCells = Math.round((0.25 * sampleRateHz) / cellFrames)
const identFadeCells = 2
const underIdentDb = -8

/** Sounds on the bus; null is the station's own bed. */
export type Heard = (sound: StagedSound | null) => void

/**
 * Plays when the plan has a hole: the library's long sounds in turn, without end, each from where it stopped; without readable ones, the
 * station's own bed. Now and then a spoken ident, if there is one: over the bed, or where a song begins.
 */
export class EmergencyProgramme {
  readonly #read: SoundReader
  readonly #underIdent = new Duck()
  #long: ReadonlyArray<StagedSound> = []
  #idents: ReadonlyArray<StagedSound> = []
  /** The sound that carries the programme is last; the others are fading out. */
  #decks: ReadonlyArray<Deck> = []
  #ident: Deck | null = null
  /** The one that began last, wherever it is now. */
  #last: string | null = null
  #began = false
  #toneLevel = 0
  /** Time since the last ident. */
  #noIdentCells = Number.POSITIVE_INFINITY
  #identsSaid = 0

  constructor(read: SoundReader) {
    this.#read = read
  }

  stock(sounds: ReadonlyArray<StagedSound>): void {
    this.#long = sounds.filter(({ lengthSamples }) => lengthSamples >= carriesSamples)
    this.#idents = sounds.filter(({ lengthSamples }) => lengthSamples < carriesSamples)
    this.expect()
  }

  /** Requests what would be heard next, so that it is loaded when needed. */
  expect(): void {
    this.#read.hold(this.#idents)
    for (const deck of this.#decks) deck.expect()
    const [next] = this.#inTurn()
    if (next !== undefined) this.#read.expect(next, next.cue.cueIn)
  }

  /** Adds one cell at a gain moving from `from` to `to`; answers its sounds. */
  add(out: Float32Array, atSample: number, from: number, to: number, heard: Heard): void {
    // A start out of silence needs no fade.
    const fresh = from === 0 || !this.#began
    this.#began = true
    const changes = this.#decks.at(-1)?.goesOn !== true
    if (changes) this.#change(fresh)
    const carried = this.#decks.at(-1)?.isLeaving === false
    if (fresh) this.#toneLevel = carried ? 0 : 1
    if (carried ? changes && !fresh && this.#noIdentCells >= songsBetweenCells : this.#noIdentCells >= bedBetweenCells)
      this.#beginIdent()
    const [downFrom, downTo] = this.#underIdent.advance(this.#ident?.goesOn === true)
    const under = [from * linear(underIdentDb * downFrom), to * linear(underIdentDb * downTo)] as const
    this.#decks = this.#decks.filter((deck) => {
      heard(deck.sound)
      return deck.add(out, ...under)
    })
    this.#tone(out, atSample, carried ? 0 : 1, ...under, heard)
    this.#say(out, from, to, heard)
  }

  /** The library from behind the current or last sound on. */
  #inTurn(): ReadonlyArray<StagedSound> {
    const next = this.#long.findIndex(({ assetId }) => assetId === this.#last) + 1
    return [...this.#long.slice(next), ...this.#long.slice(0, next)]
  }

  #change(fresh: boolean): void {
    for (const sound of this.#inTurn()) {
      const next = new Deck(sound, this.#read, { fadeCells: joinCells, level: fresh ? 1 : 0 })
      if (!next.goesOn) continue
      for (const deck of this.#decks) deck.leave()
      this.#decks = [...this.#decks, next]
      this.#last = sound.assetId
      return
    }
    for (const deck of this.#decks) deck.leave()
  }

  #tone(out: Float32Array, atSample: number, wanted: 0 | 1, from: number, to: number, heard: Heard): void {
    const before = this.#toneLevel
    this.#toneLevel = wanted > before ? Math.min(1, before + 1 / joinCells) : Math.max(0, before - 1 / joinCells)
    if (before === 0 && this.#toneLevel === 0) return
    addTone(out, atSample, from * Math.sin((Math.PI / 2) * before), to * Math.sin((Math.PI / 2) * this.#toneLevel))
    heard(null)
  }

  #say(out: Float32Array, from: number, to: number, heard: Heard): void {
    this.#noIdentCells += 1
    if (this.#ident === null) return
    this.#noIdentCells = 0
    heard(this.#ident.sound)
    if (!this.#ident.goesOn) this.#ident.leave()
    if (!this.#ident.add(out, from, to)) this.#ident = null
  }

  #beginIdent(): void {
    const sound = this.#idents[this.#identsSaid % this.#idents.length]
    if (sound === undefined || this.#ident !== null) return
    const ident = new Deck(sound, this.#read, { fadeCells: identFadeCells, level: 0 })
    if (!ident.goesOn) return
    this.#ident = ident
    this.#identsSaid += 1
  }
}
