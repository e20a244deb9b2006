import type { AirItem } from "../../schema/air/Air.ts"
import { bedFadeMs } from "../../engine/rules/panels/limits.ts"
import { bedGainDb, introGainDb } from "../../engine/rules/sound/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Duck, isSpeakingAt, type Voice } from "./Ducking.ts"
import { addFrames, type Fade, fade, linear } from "./Fade.ts"
import { cellFrames } from "./Limiter.ts"
import { Loop } from "./Loop.ts"
import type { SpanLog } from "./SpanLog.ts"
import type { SoundReader } from "./StagedReader.ts"

const bedFadeSamples = (sampleRateHz * bedFadeMs) / 1_000
/** A bed rises by this much while nobody speaks. */
const bedLiftDb = 6
/** Longer overlaps than this are a long fade-out, not a cross-fade. */
const segueMaxSamples = sampleRateHz * 6
const declickSamples = 48

/** One item on the air: its sound, its bed, and how it makes room for its neighbours. */
export class SoundingItem implements Voice {
  readonly item: AirItem
  readonly startSample: number
  readonly #read: SoundReader
  readonly #bedGainDb: number
  readonly #plannedEnd: number
  readonly #duck = new Duck()
  readonly #lift = new Duck()
  readonly #gains = new Float32Array(cellFrames)
  readonly #fades: Array<Fade> = []
  #bed: Loop | null
  #end: number
  #carriesTo: number
  #cut = false
  #shortened = false

  constructor(item: AirItem, startSample: number, read: SoundReader) {
    this.item = item
    this.startSample = startSample
    this.#read = read
    this.#bed = item.bed === null ? null : new Loop(item.bed, read)
    this.#bedGainDb = (item.bed?.gainDb ?? 0) + bedGainDb
    this.#plannedEnd = startSample + item.sound.cue.cueOut - item.sound.cue.cueIn
    this.#end = this.#plannedEnd
    this.#carriesTo = this.#plannedEnd
  }

  /** First sample at which it is no longer heard. */
  get endSample(): number {
    return this.#end
  }

  /** First sample at which another sound has to carry the programme: it fades, was cut, or is over. */
  get carriesTo(): number {
    return this.#carriesTo
  }

  get isCut(): boolean {
    return this.#cut
  }

  /** Whether the frame at that sample is loaded. */
  isLoadedAt(atSample: number): boolean {
    return this.#read.read(this.item.sound, this.#position(Math.min(atSample, this.#plannedEnd - 1)), 1) !== null
  }

  /** Requests the sound from this sample on. */
  expect(atSample: number): void {
    this.#read.expect(this.item.sound, this.#position(Math.max(atSample, this.startSample)))
    this.#bed?.expect(Math.max(0, atSample - this.startSample))
  }

  /** Fades it out within `samples`, early. */
  cut(atSample: number, samples: number): void {
    if (this.#cut || this.#end <= atSample) return
    this.#cut = true
    this.#fadeOut(atSample, samples)
    this.#end = Math.min(this.#end, atSample + samples)
  }

  /** Once over, whether it was heard as planned: to its own end, or faded out below a sound that began at its segue or later. */
  get isComplete(): boolean {
    return !this.#cut && !this.#shortened
  }

  /** Music gives way to its successor; two songs cross with constant power; a voice is never faded, and a running fade stays. */
  giveWayTo(next: SoundingItem): void {
    if (this.item.speech || next.startSample >= this.#carriesTo) return
    const samples = Math.min(this.#end - next.startSample, segueMaxSamples)
    const { cueIn, segue } = this.item.sound.cue
    this.#shortened = next.startSample < Math.min(this.startSample + segue - cueIn, this.#plannedEnd) - 1
    this.#fadeOut(next.startSample, samples)
    this.#end = next.startSample + samples
    if (!next.item.speech) next.#fades.push({ direction: "in", from: next.startSample, samples })
  }

  #fadeOut(from: number, samples: number): void {
    this.#fades.push({ direction: "out", from, samples })
    this.#carriesTo = Math.min(this.#carriesTo, from)
  }

  /** Adds its part of a cell; false if its sound breaks off here: then this cell is its fade-out. */
  add(cell: Float32Array, cellFrom: number, voices: ReadonlyArray<Voice>, spans: SpanLog): boolean {
    const from = Math.max(cellFrom, this.startSample)
    const to = Math.min(cellFrom + cellFrames, this.#end)
    const { gainDb } = this.item.sound
    const whole = this.isLoadedAt(Math.min(to + cellFrames, this.#end) - 1)
    if (!whole) this.#breakOff(from, to - from)
    const over = voices.some(
      (voice) => voice.startSample < this.#end && voice.endSample > this.startSample && isSpeakingAt(voice, to)
    )
    const gains = this.#shape(from, to, gainDb, this.#duck.advance(over && !this.item.speech), introGainDb)
    const frames = this.#read.read(this.item.sound, this.#position(from), to - from)
    if (frames === null) {
      this.#breakOff(from, 0)
      return false
    }
    addFrames(cell, from - cellFrom, frames, gains)
    spans.layer("programme", this.item, this.item.sound.assetId, gainDb, from, to)
    if (this.#bed !== null) this.#addBed(this.#bed, cell, cellFrom, from, to, spans)
    return whole
  }

  #position(atSample: number): number {
    return this.item.sound.cue.cueIn + atSample - this.startSample
  }

  #breakOff(atSample: number, samples: number): void {
    this.#cut = true
    this.#fadeOut(atSample, samples)
    this.#end = atSample + samples
  }

  /** The gain of every frame. Within a cell, 2.7 ms, the ducking curve is a straight line. */
  #shape(
    from: number,
    to: number,
    gainDb: number,
    [depthFrom, depthTo]: readonly [number, number],
    depthDb: number
  ): Float32Array {
    const gains = this.#gains.subarray(0, to - from)
    const begin = linear(gainDb + depthDb * depthFrom)
    const step = depthFrom === depthTo ? 0 : (linear(gainDb + depthDb * depthTo) - begin) / gains.length
    for (let frame = 0; frame < gains.length; frame++) gains[frame] = begin + step * frame
    fade(gains, from, to, { direction: "in", from: this.startSample, samples: declickSamples })
    fade(gains, from, to, { direction: "out", from: this.#end - declickSamples, samples: declickSamples })
    for (const each of this.#fades) fade(gains, from, to, each)
    return gains
  }

  /** The bed loops under the voice and rises a little in its pauses. */
  #addBed(bed: Loop, cell: Float32Array, cellFrom: number, from: number, to: number, spans: SpanLog): void {
    const elapsed = from - this.startSample
    const whole = bed.isLoadedAt(elapsed + to - from + cellFrames - 1)
    const gains = this.#shape(
      from,
      to,
      this.#bedGainDb + bedLiftDb,
      this.#lift.advance(isSpeakingAt(this, to)),
      -bedLiftDb
    )
    fade(gains, from, to, { direction: "in", from: this.startSample, samples: bedFadeSamples })
    fade(gains, from, to, { direction: "out", from: this.#plannedEnd - bedFadeSamples, samples: bedFadeSamples })
    if (!whole) fade(gains, from, to, { direction: "out", from, samples: to - from })
    const heard = bed.add(cell, from - cellFrom, elapsed, gains)
    if (heard) spans.layer("bed", this.item, bed.sound.assetId, this.#bedGainDb, from, to)
    if (heard && whole) return
    this.#bed = null
    spans.note(
      this.item.itemId,
      heard && elapsed > 0 ? "bed: broke off, left out from there on" : "bed: can't be read, left out"
    )
  }
}
