import {
  type AirEvent,
  type AirItem,
  type AirPlan,
  type AirPlanApplied,
  blamelessSkips,
  type ItemLabel,
  type StagedSound,
  type StalePlan
} from "../../schema/air/Air.ts"
import { itemsRememberedMax } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { Agenda } from "./Agenda.ts"
import type { AirSource } from "./AirSource.ts"
import { lookAheadSamples, type Voice } from "./Ducking.ts"
import { Fallback } from "./Fallback.ts"
import { cellFrames, Limiter, limiterCells } from "./Limiter.ts"
import type { LiveRing } from "./LiveRing.ts"
import { LiveSound } from "./LiveSound.ts"
import { SoundingItem } from "./SoundingItem.ts"
import { SpanLog } from "./SpanLog.ts"
import type { SoundReader } from "./StagedReader.ts"

const cutFadeSamples = sampleRateHz * 0.08
/** A pause this short between two items, or declared by an item, is intended and stays empty. */
const pauseMaxSamples = sampleRateHz * 0.5
const expectAheadSamples = sampleRateHz * 30

/** The first sample to give away after a command that takes effect at `atSample`: the mixer is so far ahead of its output. */
export const outputBefore = (atSample: number): number => atSample - limiterCells * cellFrames

/**
 * The programme from one sample to the next: a pure function of plan and position. It works in cells of a fixed grid, a few ahead of its
 * output, because the limiter looks ahead.
 */
export class Mixer implements AirSource {
  readonly #read: SoundReader
  readonly #limiter = new Limiter()
  readonly #agenda = new Agenda()
  readonly #fallback: Fallback
  readonly #spans: SpanLog
  readonly #firstSample: number
  #events: Array<AirEvent> = []
  /** All audible items of the plan, and the latest ones: none begins twice. */
  #playing: ReadonlyArray<SoundingItem> = []
  #begun: ReadonlyArray<string> = []
  /** The item that names the programme now; null while nothing planned carries it. */
  #onAir: SoundingItem | null = null
  /** Reason of the emergency programme; null while it is off. */
  #emergency: string | null = null
  /** Live sound that carries the programme; null while it is off. */
  #live: { readonly label: ItemLabel; readonly why: string } | null = null
  readonly #liveSound: LiveSound | null
  /** End of the planned programme heard so far. */
  #carriedTo = Number.NEGATIVE_INFINITY
  /** First sample not mixed, and first one not given away. */
  #mixedTo: number
  #at: number
  #ready: Float32Array | null = null
  #readyFrom = 0

  constructor(options: {
    readonly startSample: number
    readonly read: SoundReader
    readonly stationName: string
    readonly live?: LiveRing
  }) {
    this.#read = options.read
    this.#liveSound = options.live === undefined ? null : new LiveSound(options.live)
    this.#fallback = new Fallback(options.read, options.stationName, this.#liveSound)
    this.#at = options.startSample
    this.#firstSample = options.startSample
    this.#mixedTo = options.startSample - (options.startSample % cellFrames)
    this.#readyFrom = this.#mixedTo
    this.#spans = new SpanLog(options.startSample)
  }

  get renderedTo(): number {
    return this.#at
  }

  plan(plan: AirPlan): AirPlanApplied | StalePlan {
    const answer = this.#agenda.answerTo(plan)
    if (answer !== null) return answer
    const items = plan.items.filter(({ itemId }) => !this.#begun.includes(itemId))
    const now = plan.entry === "now"
    const first = plan.items[0]
    // What should begin now may have begun by itself since the plan was made: it isn't cut, and the others follow it.
    const begun = now ? this.#playing.find(({ isCut, item }) => item.itemId === first?.itemId && !isCut) : undefined
    if (now) for (const playing of this.#playing) if (playing !== begun) playing.cut(this.#mixedTo, cutFadeSamples)
    // A late item is returned for replanning: begun late, it would push everything behind it. Only a chain that
    // has sent nothing yet, and takes over from another, begins inside items on the air.
    const late =
      now || this.#mixedTo <= this.#firstSample ? [] : items.filter(({ startSample }) => startSample < this.#mixedTo)
    for (const item of late) this.#passOver(item, blamelessSkips.late)
    const shiftSamples =
      begun !== undefined
        ? begun.startSample - first!.startSample
        : now && items[0] !== undefined
          ? this.#mixedTo - items[0].startSample
          : 0
    const applied = this.#agenda.adopt(
      plan,
      items.filter((item) => !late.includes(item)),
      shiftSamples,
      this.#mixedTo
    )
    this.#expect(this.#mixedTo)
    return applied
  }

  emergencyLibrary(sounds: ReadonlyArray<StagedSound>): void {
    this.#fallback.stock(sounds)
  }

  /** Text of the emergency programme's mark, from its next start on. */
  disclose(text: string): void {
    this.#fallback.disclose(text)
  }

  emergency(on: boolean, reason: string): ReadonlyArray<AirEvent> {
    if (on === (this.#emergency !== null)) return []
    this.#emergency = on ? reason : null
    if (on) for (const playing of this.#playing) playing.cut(this.#mixedTo, cutFadeSamples)
    return [
      ...(on ? this.live(null, "emergency") : []),
      { _tag: "EmergencyChanged", on, reason, atSample: this.#mixedTo }
    ]
  }

  /** Puts live sound on the air under this label, or takes it off. Nothing planned begins meanwhile. An emergency comes first. */
  live(label: ItemLabel | null, reason: string): ReadonlyArray<AirEvent> {
    if (this.#liveSound === null || (label === null) === (this.#live === null)) return []
    if (label !== null && this.#emergency !== null) return []
    this.#live = label === null ? null : { label, why: `live: ${reason}` }
    if (label === null) this.#liveSound.end()
    else {
      this.#liveSound.begin()
      for (const playing of this.#playing) playing.cut(this.#mixedTo, cutFadeSamples)
    }
    return [{ _tag: "LiveChanged", on: label !== null, reason, atSample: this.#mixedTo }]
  }

  render(out: Float32Array, frames: number): ReadonlyArray<AirEvent> {
    for (let done = 0; done < frames;) {
      if (this.#ready === null || this.#at >= this.#readyFrom + cellFrames) this.#nextCell()
      const offset = this.#at - this.#readyFrom
      const take = Math.min(frames - done, cellFrames - offset)
      out.set(this.#ready!.subarray(offset * 2, (offset + take) * 2), done * 2)
      done += take
      this.#at += take
    }
    for (const { goesOn, span } of this.#spans.hashSent(out.subarray(0, frames * 2)))
      this.#events.push({ _tag: "Spanned", span, ...(goesOn ? { goesOn } : {}) })
    const events = this.#events
    this.#events = []
    return events
  }

  #nextCell(): void {
    for (let mixed = 0; mixed <= limiterCells + 1; mixed++) {
      const cell = this.#limiter.push(this.#mixCell())
      if (cell === null) continue
      this.#readyFrom = this.#mixedTo - (limiterCells + 1) * cellFrames
      this.#ready = cell
      return
    }
  }

  #mixCell(): Float32Array {
    const from = this.#mixedTo
    const to = from + cellFrames
    const cell = new Float32Array(cellFrames * 2)
    // Requests the sound of the next seconds; once a second is enough.
    if (from % sampleRateHz < cellFrames) this.#expect(from)
    this.#begin(from, to)
    this.#carry(from)
    const voices = this.#voices(to)
    for (const playing of this.#playing) {
      const carried = playing.carriesTo > from
      if (playing.add(cell, from, voices, this.#spans) || !carried) continue
      this.#passOver(playing.item, "its staged sound ended before its time or can't be read")
    }
    this.#fallback.add(cell, from, to, this.#spans)
    this.#carriedTo = Math.max(
      this.#carriedTo,
      ...this.#playing.filter(({ endSample }) => endSample <= to).map(({ carriesTo }) => carriesTo)
    )
    for (const { endSample, isComplete, item } of this.#playing)
      if (endSample <= to) this.#spans.end(item.itemId, endSample, isComplete)
    this.#playing = this.#playing.filter(({ endSample }) => endSample > to)
    this.#mixedTo = to
    return cell
  }

  #expect(from: number): void {
    for (const playing of this.#playing) playing.expect(from)
    // The next item is always loaded, because a skip may need it at once.
    for (const item of new Set([
      ...this.#agenda.listBefore(from + expectAheadSamples),
      ...(this.#agenda.next === undefined ? [] : [this.#agenda.next])
    ])) {
      new SoundingItem(item, item.startSample, this.#read).expect(from)
    }
    this.#fallback.expect()
  }

  /** Begins what starts in this cell, at its own sample. */
  #begin(from: number, to: number): void {
    for (let item = this.#agenda.take(to); item !== undefined; item = this.#agenda.take(to)) {
      const { startSample } = item
      if (this.#emergency !== null || this.#live !== null) {
        this.#passOver(item, blamelessSkips.emergency)
        continue
      }
      const speaker = item.speech
        ? this.#playing.find((other) => other.item.speech && !other.isCut && other.endSample > startSample)
        : undefined
      if (speaker !== undefined) {
        this.#agenda.move(item, speaker.endSample, "moved: another voice was speaking")
        continue
      }
      if (this.#onAir?.startSample === startSample) {
        this.#agenda.move(item, startSample + 1, "moved: another item begins at that sample")
        continue
      }
      const next = new SoundingItem(item, startSample, this.#read)
      if (next.endSample <= Math.max(from, startSample)) {
        // Items that ended before this chain began belong to the previous one.
        if (startSample >= this.#firstSample) this.#passOver(item, "there is nothing of it to be heard")
        continue
      }
      const atSample = Math.max(startSample, this.#firstSample)
      if (!this.#isReadable(next, Math.max(from, startSample))) {
        this.#passOver(item, "its staged sound can't be read")
        continue
      }
      for (const before of this.#playing) before.giveWayTo(next)
      this.#spans.begin(item, atSample)
      this.#playing = [...this.#playing, next]
      this.#begun = [...this.#begun, item.itemId].slice(-itemsRememberedMax)
      this.#onAir = next
      this.#fallback.end()
      // If a chain takes over inside several sounds, the latest names the programme.
      this.#events = this.#events.map((event) =>
        event._tag === "Started" && event.itemId !== null && event.atSample === atSample
          ? { _tag: "Resumed", itemId: event.itemId, atSample }
          : event
      )
      this.#events.push({
        _tag: "Started",
        itemId: item.itemId,
        label: item.label,
        atSample,
        endSample: next.endSample
      })
    }
  }

  #isReadable(playing: SoundingItem, atSample: number): boolean {
    return playing.isLoadedAt(atSample) && playing.isLoadedAt(atSample + 2 * cellFrames)
  }

  #passOver({ itemId }: AirItem, reason: string): void {
    this.#events.push({ _tag: "Skipped", itemId, reason })
  }

  /** The fallback plays while no planned item sounds and no pause is intended. */
  #carry(from: number): void {
    let atSample = from
    if (this.#onAir !== null) {
      const carriedTo = Math.max(this.#carriedTo, ...this.#playing.map((playing) => playing.carriesTo))
      if (carriedTo > from || this.#pauses(carriedTo)) return
      if (carriedTo > from - cellFrames) atSample = carriedTo
    }
    atSample = Math.max(atSample, this.#firstSample)
    this.#events.push(...this.#fallback.begin(this.#emergency, atSample, this.#spans, this.#live))
    this.#onAir = null
  }

  /** Whether the next item follows soon enough and is loaded: then the silence before it is intended. */
  #pauses(carriedTo: number): boolean {
    const { next } = this.#agenda
    return (
      this.#emergency === null &&
      this.#live === null &&
      next !== undefined &&
      next.startSample - carriedTo <= Math.max(pauseMaxSamples, next.pauseSamples ?? 0) &&
      this.#isReadable(new SoundingItem(next, next.startSample, this.#read), next.startSample)
    )
  }

  /** Current voices, and those that begin before the sound below them has gone down. */
  #voices(to: number): ReadonlyArray<Voice> {
    return [
      ...this.#playing.filter(({ item }) => item.speech),
      ...this.#agenda
        .listBefore(to + lookAheadSamples)
        .filter(({ speech }) => speech)
        .map((item) => ({
          item,
          startSample: item.startSample,
          endSample: item.startSample + item.sound.cue.cueOut - item.sound.cue.cueIn
        }))
    ]
  }
}
