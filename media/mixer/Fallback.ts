import { type AirEvent, ItemLabel, type StagedSound } from "../../schema/air/Air.ts"
import { emergencyMark, markOfStation } from "../../schema/Synthetic.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { EmergencyProgramme } from "./EmergencyProgramme.ts"
import type { LiveSound } from "./LiveSound.ts"
import { cellFrames } from "./Limiter.ts"
import type { SpanLog } from "./SpanLog.ts"
import type { SoundReader } from "./StagedReader.ts"

const inPerCell = cellFrames / (sampleRateHz * 0.12)
const outPerCell = cellFrames / (sampleRateHz * 0.5)
const spanMaxSamples = sampleRateHz * 60

const silent = { from: 0, to: 0 } as const
const unplannedWhy = "fallback: nothing planned that could be read"

/** Carries the broadcast while nothing planned does, with the reason: an emergency, or an empty plan. */
export class Fallback {
  readonly #programme: EmergencyProgramme
  #on: { readonly label: ItemLabel; readonly why: string } | null = null
  /** At full level from the first sample: a chain that takes over continues the sound of another. */
  #gain = 1
  #isFresh = true

  readonly #stationName: string
  readonly #live: LiveSound | null
  #mark = emergencyMark

  constructor(read: SoundReader, stationName: string, live: LiveSound | null = null) {
    this.#live = live
    this.#programme = new EmergencyProgramme(read)
    this.#stationName = stationName
  }

  /** The text of its mark, from its next beginning on. */
  disclose(text: string): void {
    this.#mark = markOfStation(text)
  }

  #labelOf(emergency: string | null): ItemLabel {
    const label = { artist: null, synthetic: this.#mark }
    return emergency === null
      ? new ItemLabel({ ...label, title: this.#stationName, kind: "filler" })
      : new ItemLabel({ ...label, title: "Emergency programme", kind: "other" })
  }

  stock(sounds: ReadonlyArray<StagedSound>): void {
    this.#programme.stock(sounds)
  }

  expect(): void {
    this.#programme.expect()
  }

  /** It carries the programme from this sample on; called before it is heard. Answers the events, if its reason is new. */
  begin(
    emergency: string | null,
    atSample: number,
    spans: SpanLog,
    live: { readonly label: ItemLabel; readonly why: string } | null = null
  ): ReadonlyArray<AirEvent> {
    const on =
      emergency !== null
        ? { label: this.#labelOf(emergency), why: `emergency: ${emergency}` }
        : (live ?? { label: this.#labelOf(null), why: unplannedWhy })
    if (on.why === this.#on?.why) {
      // The log is never more than a minute behind the broadcast.
      spans.splitFallback(atSample, spanMaxSamples)
      return []
    }
    this.#on = on
    spans.end(null, atSample, false)
    spans.begin({ itemId: null, label: on.label, trace: [on.why] }, atSample)
    return [{ _tag: "Started", itemId: null, label: on.label, atSample, endSample: null }]
  }

  /** A planned item is on the air. */
  end(): void {
    // A chain that takes over inside a planned item adds nothing of its own.
    if (this.#isFresh) this.#gain = 0
    this.#on = null
  }

  /** Its share of a cell. */
  add(cell: Float32Array, from: number, to: number, spans: SpanLog): void {
    const before = this.#gain
    this.#isFresh = false
    this.#gain = this.#on === null ? Math.max(0, before - outPerCell) : Math.min(1, before + inPerCell)
    const live = this.#live?.add(cell) ?? silent
    if (live.from > 0 || live.to > 0) spans.layer("live", null, null, 0, from, to)
    // What live sound leaves of the programme: nothing while it flows.
    const [begin, end] = [before * (1 - live.from), this.#gain * (1 - live.to)]
    if (before === 0 && this.#gain === 0) return
    if (begin === 0 && end === 0) return
    this.#programme.add(cell, from, begin, end, (sound) =>
      spans.layer(sound === null ? "tone" : "emergency", null, sound?.assetId ?? null, sound?.gainDb ?? 0, from, to)
    )
    if (this.#gain === 0) spans.end(null, to, false)
  }
}
