import type { AirItem, StagedSound } from "../schema/Air.ts"
import { bedFadeMs, bedUnderSpeechDb, sampleRateHz } from "../engine/Limits.ts"
import { presenceAt, presenceOf } from "./Ducking.ts"
import { cellFrames } from "./Limiter.ts"
import type { SpanLog } from "./SpanLog.ts"
import type { SoundReader } from "./StagedReader.ts"

const scale = 1 / 32_768
const bedFadeSamples = sampleRateHz * bedFadeMs / 1_000
/** Where nobody speaks over it, a bed comes up by this much; a song under a voice goes down by this much. */
const bedLiftDb = 6
const introDuckDb = -14
/** Longer overlaps than this are a long fade-out, not a cross-fade. */
const segueMaxSamples = sampleRateHz * 6
const declickSamples = 48

/** Nobody speaks. */
const silence = new Float32Array()

const linear = (db: number): number => 10 ** (db / 20)

/** One item on the air: its own sound, its bed, and how it makes room for its neighbours. */
export class Playing {
  readonly item: AirItem
  readonly startSample: number
  readonly presence: Float32Array | null
  readonly #read: SoundReader
  readonly #gain: number
  readonly #bedGain: number
  readonly #plannedEnd: number
  #end: number
  #fadeIn: { readonly from: number; readonly samples: number } | null = null
  #fadeOut: { readonly from: number; readonly samples: number } | null = null
  #cut = false

  constructor(item: AirItem, startSample: number, read: SoundReader) {
    this.item = item
    this.startSample = startSample
    this.#read = read
    this.#gain = linear(item.sound.gainDb)
    this.#bedGain = item.bed === null ? 0 : linear(item.bed.gainDb + bedUnderSpeechDb)
    this.presence = item.speech ? presenceOf(item.sound.envelope) : null
    this.#plannedEnd = startSample + item.sound.cue.cueOut - item.sound.cue.cueIn
    this.#end = this.#plannedEnd
  }

  get endSample(): number {
    return this.#end
  }

  get isCut(): boolean {
    return this.#cut
  }

  isReadable(atSample: number): boolean {
    return this.#read.read(this.item.sound, this.item.sound.cue.cueIn + atSample - this.startSample, 1) !== null
  }

  /** Out within `samples`, before its time. */
  cut(atSample: number, samples: number): void {
    if (this.#cut || this.#end <= atSample) return
    this.#cut = true
    this.#fadeOut = { from: atSample, samples: Math.max(1, samples) }
    this.#end = Math.min(this.#end, atSample + samples)
  }

  /** Whether somebody who begins there lets this one be heard as it was meant to be. A voice goes on over what follows. */
  endsWellUnder(startSample: number): boolean {
    return !this.#cut && (this.item.speech || startSample >= this.#end || startSample - this.startSample >= Math.min(this.item.sound.cue.segue - this.item.sound.cue.cueIn, this.#plannedEnd - this.startSample) - 1)
  }

  /** Music gives way under what follows; two songs cross with constant power; a voice is never faded. */
  followedBy(next: Playing): void {
    if (this.item.speech || this.#cut || next.startSample >= this.#end) return
    const samples = Math.min(this.#end - next.startSample, segueMaxSamples)
    this.#fadeOut = { from: next.startSample, samples }
    this.#end = next.startSample + samples
    if (!next.item.speech) next.#fadeIn = { from: next.startSample, samples }
  }

  /** Adds its part of a cell; false when its sound can't be had. */
  add(cell: Float32Array, cellFrom: number, all: ReadonlyArray<Playing>, spans: SpanLog): boolean {
    const from = Math.max(cellFrom, this.startSample)
    const to = Math.min(cellFrom + cellFrames, this.#end)
    const { cue } = this.item.sound
    const frames = this.#read.read(this.item.sound, cue.cueIn + from - this.startSample, to - from)
    if (frames === null) return false
    const voices = this.item.speech ? [] : all.filter((other) => other.presence !== null && other !== this)
    // Within a cell, 2.7 ms, a straight line between the two ends is the curve.
    const duck = (at: number) => voices.reduce((gain, voice) => gain * linear(introDuckDb * presenceAt(voice.presence!, at - voice.startSample)), this.#gain)
    const duckFrom = duck(from)
    const duckStep = voices.length === 0 ? 0 : (duck(to) - duckFrom) / (to - from)
    for (let at = from; at < to; at++) {
      const gain = (duckFrom + duckStep * (at - from)) * this.#envelope(at)
      const source = (at - from) * 2
      const target = (at - cellFrom) * 2
      cell[target]! += frames[source]! * scale * gain
      cell[target + 1]! += frames[source + 1]! * scale * gain
    }
    spans.layer(spans.current.itemId === this.item.itemId ? "programme" : "segue", this.item.sound.assetId, this.item.sound.gainDb, from, to - 1)
    if (this.item.bed !== null) this.#addBed(cell, cellFrom, from, to, this.item.bed, spans)
    return true
  }

  #envelope(at: number): number {
    let gain = Math.min(1, (at - this.startSample + 1) / declickSamples)
    if (this.#fadeIn !== null && at < this.#fadeIn.from + this.#fadeIn.samples) gain *= Math.sin(Math.PI / 2 * (at - this.#fadeIn.from + 1) / this.#fadeIn.samples)
    if (this.#fadeOut !== null && at >= this.#fadeOut.from) gain *= Math.cos(Math.PI / 2 * Math.min(1, (at - this.#fadeOut.from) / this.#fadeOut.samples))
    return gain
  }

  /** The bed goes round between its cues, under the voice and, where it pauses, a little nearer. */
  #addBed(cell: Float32Array, cellFrom: number, from: number, to: number, bed: StagedSound, spans: SpanLog): void {
    const turn = Math.max(1, bed.cue.cueOut - bed.cue.cueIn)
    const start = bed.cue.cueIn + (from - this.startSample) % turn
    const head = Math.min(to - from, bed.cue.cueOut - start)
    for (const [offset, position, count] of [[0, start, head], [head, bed.cue.cueIn, to - from - head]] as const) {
      if (count <= 0) continue
      const frames = this.#read.read(bed, position, count)
      if (frames === null) return
      const lift = (frame: number) => linear(bedLiftDb * (1 - presenceAt(this.presence ?? silence, from + offset + frame - this.startSample)))
      const liftFrom = lift(0)
      const liftStep = (lift(count) - liftFrom) / count
      for (let frame = 0; frame < count; frame++) {
        const at = from + offset + frame
        const fade = Math.min(1, (at - this.startSample) / bedFadeSamples, Math.max(0, this.#end - at) / bedFadeSamples)
        const gain = this.#bedGain * (liftFrom + liftStep * frame) * fade * this.#envelope(at) * scale
        const target = (at - cellFrom) * 2
        cell[target]! += frames[frame * 2]! * gain
        cell[target + 1]! += frames[frame * 2 + 1]! * gain
      }
    }
    spans.layer("bed", bed.assetId, bedUnderSpeechDb, from, to - 1)
  }
}
