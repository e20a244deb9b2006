import { AirPlanApplied, type AirEvent, type AirItem, type AirPlan, ItemLabel, passedOverBlameless, type StagedSound, StalePlan } from "../schema/Air.ts"
import { sampleRateHz } from "../engine/Limits.ts"
import type { AirSource } from "./AirChain.ts"
import { EmergencyProgramme } from "./EmergencyProgramme.ts"
import { cellFrames, Limiter, limiterCells } from "./Limiter.ts"
import { Playing } from "./Playing.ts"
import { SpanLog } from "./SpanLog.ts"
import type { SoundReader } from "./StagedReader.ts"

const cutFadeSamples = sampleRateHz * 0.08
/** A pause this short between two items is meant: nothing is put into it. */
const pauseMaxSamples = sampleRateHz * 0.5
const fallbackInPerCell = cellFrames / (sampleRateHz * 0.12)
const fallbackOutPerCell = cellFrames / (sampleRateHz * 0.5)
const fallbackSpanMaxSamples = sampleRateHz * 60
const expectAheadSamples = sampleRateHz * 30

const fallbackLabel = new ItemLabel({ title: "Longwave", artist: null, kind: "filler" })

/**
 * The programme from one sample to the next: a function of the plan and the position, and of nothing else. It works in cells of a
 * fixed grid, a few ahead of what it gives away, because the limiter looks ahead.
 */
export class Mixer implements AirSource {
  readonly #read: SoundReader
  readonly #limiter = new Limiter()
  readonly #emergencyProgramme: EmergencyProgramme
  readonly #spans: SpanLog
  readonly #firstSample: number
  #events: Array<AirEvent> = []
  #upcoming: ReadonlyArray<AirItem> = []
  #playing: ReadonlyArray<Playing> = []
  #fence = -1
  #revision = -1
  #emergency = false
  #fallbackGain = 1
  #fallbackSince: number
  /** First sample not mixed, and first one not given away. */
  #mixedTo: number
  #at: number
  #ready: Float32Array | null = null
  #readyFrom = 0

  constructor(options: { readonly startSample: number; readonly read: SoundReader }) {
    this.#read = options.read
    this.#emergencyProgramme = new EmergencyProgramme(options.read)
    this.#at = options.startSample
    this.#firstSample = options.startSample
    this.#fallbackSince = options.startSample
    this.#mixedTo = options.startSample - options.startSample % cellFrames
    this.#readyFrom = this.#mixedTo
    this.#spans = new SpanLog(options.startSample, fallbackLabel)
    this.#events.push({ _tag: "Started", itemId: null, label: fallbackLabel, atSample: options.startSample, endSample: null })
  }

  get renderedTo(): number {
    return this.#at
  }

  plan(plan: AirPlan): AirPlanApplied | StalePlan {
    if (plan.fence < this.#fence || (plan.fence === this.#fence && plan.revision < this.#revision)) {
      return new StalePlan({ fence: this.#fence, revision: this.#revision })
    }
    this.#fence = plan.fence
    this.#revision = plan.revision
    const begun = new Set(this.#playing.map(({ item }) => item.itemId))
    let items = plan.items.filter(({ itemId }) => !begun.has(itemId))
    let shiftSamples = 0
    if (plan.entry === "now") {
      for (const playing of this.#playing) playing.cut(this.#mixedTo, cutFadeSamples)
      if (items[0] !== undefined) shiftSamples = this.#mixedTo - items[0].startSample
    } else if (this.#mixedTo > this.#firstSample) {
      // What comes too late is planned again by whoever is told: begun late, it would push everything after it. Only a chain that
      // has sent nothing yet, and takes over from another one, begins in the middle of what was on the air.
      const late = items.filter(({ startSample }) => startSample < this.#mixedTo)
      for (const { itemId } of late) this.#events.push({ _tag: "PassedOver", itemId, reason: passedOverBlameless.late })
      items = items.filter((item) => !late.includes(item))
    }
    this.#upcoming = items.map((item) => shiftSamples === 0 ? item : { ...item, startSample: item.startSample + shiftSamples })
      .sort((a, b) => a.startSample - b.startSample)
    return new AirPlanApplied({ revision: plan.revision, shiftSamples, renderedTo: this.#mixedTo })
  }

  emergencyLibrary(sounds: ReadonlyArray<StagedSound>): void {
    this.#emergencyProgramme.stock(sounds)
  }

  emergency(on: boolean, reason: string): ReadonlyArray<AirEvent> {
    if (on === this.#emergency) return []
    this.#emergency = on
    if (on) for (const playing of this.#playing) playing.cut(this.#mixedTo, cutFadeSamples)
    return [{ _tag: "EmergencyChanged", on, reason, atSample: this.#mixedTo }]
  }

  render(out: Float32Array, frames: number): ReadonlyArray<AirEvent> {
    let done = 0
    while (done < frames) {
      if (this.#ready === null || this.#at >= this.#readyFrom + cellFrames) this.#nextCell()
      const offset = this.#at - this.#readyFrom
      const take = Math.min(frames - done, cellFrames - offset)
      out.set(this.#ready!.subarray(offset * 2, (offset + take) * 2), done * 2)
      done += take
      this.#at += take
    }
    for (const span of this.#spans.sent(out.subarray(0, frames * 2))) this.#events.push({ _tag: "Spanned", span })
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
    this.#begin(from, to)
    for (const playing of this.#playing) {
      if (playing.startSample >= to || playing.endSample <= from) continue
      if (!playing.add(cell, from, this.#playing, this.#spans)) this.#lose(playing, from)
    }
    this.#end(to)
    this.#fill(cell, from, to)
    this.#mixedTo = to
    return cell
  }

  /** Puts what starts in this cell on the air, at its own sample. */
  #begin(from: number, to: number): void {
    while (this.#upcoming[0] !== undefined && this.#upcoming[0].startSample < to) {
      const item = this.#upcoming[0]
      this.#upcoming = this.#upcoming.slice(1)
      if (this.#emergency) {
        this.#events.push({ _tag: "PassedOver", itemId: item.itemId, reason: passedOverBlameless.emergency })
        continue
      }
      let { startSample } = item
      const speaker = item.speech ? this.#playing.find((other) => other.item.speech && other.endSample > startSample) : undefined
      if (speaker !== undefined && !speaker.isCut) startSample = speaker.endSample
      if (startSample >= to) {
        this.#upcoming = [{ ...item, startSample, trace: [...item.trace, "moved: another voice was speaking"] }, ...this.#upcoming].sort((a, b) => a.startSample - b.startSample)
        continue
      }
      const next = new Playing(item, startSample, this.#read)
      if (next.endSample <= from) continue
      if (!next.isReadable(Math.max(from, startSample))) {
        this.#events.push({ _tag: "PassedOver", itemId: item.itemId, reason: "its staged sound can't be read" })
        continue
      }
      const complete = this.#playing.every((before) => before.endsWellUnder(startSample))
      for (const before of this.#playing) before.followedBy(next)
      this.#playing = [...this.#playing, next]
      const atSample = Math.max(startSample, this.#firstSample)
      this.#spans.begin(item.itemId, item.label, atSample, item.trace, this.#spans.current.itemId === null ? false : complete)
      this.#events.push({ _tag: "Started", itemId: item.itemId, label: item.label, atSample, endSample: next.endSample })
    }
    const soon = this.#upcoming[0]
    if (soon !== undefined && soon.startSample < to + expectAheadSamples) this.#read.expect(soon.sound, soon.sound.cue.cueIn)
  }

  #lose(playing: Playing, atSample: number): void {
    playing.cut(atSample, 0)
    this.#events.push({ _tag: "PassedOver", itemId: playing.item.itemId, reason: "its staged sound ended before its time or can't be read" })
  }

  /** What is over leaves; when nothing follows at once, the fallback is what is on the air from its end on. */
  #end(to: number): void {
    const over = this.#playing.filter(({ endSample }) => endSample <= to)
    if (over.length === 0) return
    this.#playing = this.#playing.filter(({ endSample }) => endSample > to)
    const last = over.find(({ item }) => item.itemId === this.#spans.current.itemId)
    if (last === undefined || this.#playing.length > 0) return
    const next = this.#upcoming[0]
    const atSample = Math.max(last.endSample, this.#firstSample)
    if (!this.#emergency && next !== undefined && next.startSample - atSample <= pauseMaxSamples) return
    this.#spans.begin(null, fallbackLabel, atSample, [this.#emergency ? "emergency" : "fallback: nothing planned that could be read"], !last.isCut)
    this.#fallbackSince = atSample
    this.#events.push({ _tag: "Started", itemId: null, label: fallbackLabel, atSample, endSample: null })
  }

  /** The emergency programme under whatever isn't there. */
  #fill(cell: Float32Array, from: number, to: number): void {
    const next = this.#upcoming[0]
    const covered = !this.#emergency &&
      (this.#playing.some(({ isCut }) => !isCut) || (next !== undefined && next.startSample - to <= pauseMaxSamples && this.#fallbackGain === 0))
    const gain = covered ? Math.max(0, this.#fallbackGain - fallbackOutPerCell) : Math.min(1, this.#fallbackGain + fallbackInPerCell)
    if (gain > 0 || this.#fallbackGain > 0) {
      const sound = this.#emergencyProgramme.add(cell, from, this.#fallbackGain, gain)
      this.#spans.layer(sound === null ? "tone" : "emergency", sound?.assetId ?? null, 0, from, to - 1)
    }
    this.#fallbackGain = gain
    // The log never lags more than a minute behind what is heard.
    if (this.#spans.current.itemId === null && to - this.#fallbackSince >= fallbackSpanMaxSamples) {
      this.#spans.begin(null, fallbackLabel, to, ["fallback goes on"], true)
      this.#fallbackSince = to
    }
  }
}
