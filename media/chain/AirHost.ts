import { Schema } from "effect"
import {
  AirEvent,
  AirItem,
  AirPlan,
  type AirPlanApplied,
  type AirStatus,
  ItemLabel,
  StagedSound
} from "../../schema/air/Air.ts"
import { stationMark } from "../../schema/Synthetic.ts"
import { aacFrameSamples, airStaleMs } from "../../engine/rules/air/limits.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import type { HlsVariant } from "../../engine/ports/Live.ts"
import { labelId } from "./AirChain.ts"
import type { AirStart, FromAir, OutputState } from "./AirProtocol.ts"
import { type BroadcastStart, nextFrameOf } from "../live/BroadcastStart.ts"
import { Captions } from "../live/Captions.ts"
import type { Discontinuity } from "../live/Journal.ts"
import type { LiveWindow } from "../live/LiveWindow.ts"
import type { MeterReading } from "../../schema/air/Meters.ts"
import { mp3FrameSamples } from "../encode/Mp3Frames.ts"
import { LiveRing } from "../mixer/LiveRing.ts"
import { Mp3Window } from "../live/Mp3Window.ts"
import { OpenStretches } from "../mixer/OpenStretches.ts"
import type { Part } from "../encode/PartPacker.ts"
import { PcmRing } from "../encode/PcmRing.ts"
import type { StationClock } from "../clock/StationClock.ts"
import { Waves } from "../live/Waves.ts"

/**
 * State that outlives a worker of the air chain: the PCM ring, the time, the window that listeners are served from, and the last commands.
 */
export class AirHost {
  readonly clock: StationClock
  readonly ring = new PcmRing()
  readonly windows: ReadonlyMap<HlsVariant, LiveWindow>
  readonly mp3: Mp3Window
  /** Live sound for the mixer, which outlives a worker. */
  readonly live = new LiveRing()
  readonly captions = new Captions()
  readonly waves = new Waves()
  readonly #startFrame: number
  readonly #sentBefore: number | null
  readonly #stationName: string
  #plan: AirPlan | null = null
  #library: ReadonlyArray<StagedSound> = []
  #emergency: string | null = null
  #liveOn: { readonly label: ItemLabel; readonly reason: string } | null = null
  #current: Extract<AirEvent, { readonly _tag: "Started" }> | null = null
  #outputs: ReadonlyArray<OutputState> = []
  #emergencyOn = false
  #driftMs = 0
  readonly #open: OpenStretches
  #probe: AirStatus["probe"] = { silent: false, loudnessLufs: null, checkedAtMs: null }
  readonly #onEvent: (event: AirEvent) => void
  readonly #onPart: (part: Part) => void
  readonly #onMp3: (bytes: Uint8Array) => void
  readonly #onMetered: (reading: MeterReading) => void
  readonly #onJournal: (stopped: string | null) => void
  readonly #onCut: (discontinuity: Discontinuity) => void

  constructor(
    beginning: BroadcastStart,
    stationName: string,
    on: {
      readonly event: (event: AirEvent) => void
      readonly part: (part: Part) => void
      readonly onCut: (discontinuity: Discontinuity) => void
      readonly onMp3: (bytes: Uint8Array) => void
      readonly onJournal: (stopped: string | null) => void
      readonly onMeter?: (reading: MeterReading) => void
    }
  ) {
    this.clock = beginning.clock
    this.windows = beginning.windows
    this.#startFrame = beginning.startFrame
    this.#sentBefore = beginning.sentBefore
    this.#stationName = stationName
    this.#onEvent = on.event
    this.#onPart = on.part
    this.#onCut = on.onCut
    this.#onMp3 = on.onMp3
    this.#onJournal = on.onJournal
    this.#onMetered = on.onMeter ?? (() => {})
    const startSample = beginning.startFrame * aacFrameSamples
    this.ring.begin(startSample)
    this.#open = new OpenStretches(startSample)
    this.mp3 = new Mp3Window(Math.ceil(startSample / mp3FrameSamples), {
      title: stationName,
      artist: null,
      kind: "station_id",
      synthetic: stationMark
    })
  }

  /** Initial state of the next worker. */
  start(ffmpeg: string, journalPath: string | null, breakable: boolean): AirStart {
    const next = (variant: HlsVariant) => Math.max(this.#startFrame, nextFrameOf(this.windows.get(variant)!))
    return {
      memory: this.ring.memory,
      anchor: this.clock.anchor,
      nextAacFrame: { aac128: next("aac128"), aac64: next("aac64") },
      nextMp3Frame: this.mp3.nextFrame,
      plan: this.#plan === null ? null : Schema.encodeSync(AirPlan)(this.#plan),
      library: Schema.encodeSync(Schema.Array(StagedSound))(this.#library),
      emergency: this.#emergency,
      liveMemory: this.live.memory,
      live:
        this.#liveOn === null
          ? null
          : { label: Schema.encodeSync(ItemLabel)(this.#liveOn.label), reason: this.#liveOn.reason },
      current: this.#current === null ? null : Schema.encodeSync(AirEvent)(this.#current),
      ffmpeg,
      stationName: this.#stationName,
      journalPath,
      breakable
    }
  }

  /**
   * A replacement continues with the plan as applied, so moved items are not moved twice. Items already sounding are in no plan and
   * continue all the same.
   */
  setPlan(plan: AirPlan, applied: AirPlanApplied): void {
    const shift = applied.shiftSamples
    const { sounding } = this.#open
    const goOn = plan.entry === "now" ? [] : (this.#plan?.items.filter(({ itemId }) => sounding.includes(itemId)) ?? [])
    this.#plan = new AirPlan({
      ...plan,
      entry: "boundary",
      items: [
        ...goOn,
        ...plan.items
          .filter(({ itemId }) => !goOn.some((item) => item.itemId === itemId))
          .map((item) => new AirItem({ ...item, startSample: item.startSample + shift }))
      ]
    })
  }

  setLibrary(library: ReadonlyArray<StagedSound>): void {
    this.#library = library
  }

  /** Reason of the emergency programme; null while it is off. */
  get alarm(): string | null {
    return this.#emergency
  }

  /** Live sound goes on the air under this label, or off it. */
  setLive(live: { readonly label: ItemLabel; readonly reason: string } | null): void {
    this.#liveOn = live
    if (live !== null) this.#forgetSounding()
  }

  setEmergency(reason: string | null): void {
    this.#emergency = reason
    if (reason !== null) {
      this.#liveOn = null
      this.#forgetSounding()
    }
  }

  #forgetSounding(): void {
    // Items that an emergency or live sound cuts don't return with the next worker.
    const { sounding } = this.#open
    if (this.#plan !== null)
      this.#plan = new AirPlan({
        ...this.#plan,
        items: this.#plan.items.filter(({ itemId }) => !sounding.includes(itemId))
      })
  }

  onProbed(event: Extract<AirEvent, { readonly _tag: "Probed" }>): void {
    const { _tag, ...probe } = event
    this.#probe = probe
    this.#onEvent(event)
  }

  receive(message: FromAir): void {
    switch (message._tag) {
      case "Part":
        this.#take(message.part)
        break
      case "Mp3":
        this.mp3.accept(message.firstFrame, message.bytes, message.frames)
        this.#onMp3(message.bytes)
        break
      case "Event":
        this.#hear(Schema.decodeSync(AirEvent)(message.event))
        break
      case "Tick":
        this.clock.adopt(message.anchor)
        this.#driftMs = message.driftMs
        this.#emergencyOn = message.emergency
        this.#outputs = message.outputs
        break
      case "Metered":
        this.#onMetered(message.reading)
        break
      case "Journal":
        this.#onJournal(message.stopped)
        break
    }
  }

  #take(part: Part): void {
    const window = this.windows.get(part.variant)!
    const before = window.discontinuities
    if (!window.accept(part)) return
    if (window.discontinuities > before)
      this.#onCut({
        variant: part.variant,
        msn: part.msn,
        total: window.discontinuities,
        anew: window.firstMsn === part.msn
      })
    this.#onPart(part)
  }

  /** Logs from the ring what died with a worker, then reports the restart. */
  logRestart(reason: string): void {
    for (const fallen of this.#open.fallen(this.ring, reason)) {
      const event = { _tag: "Spanned" as const, ...fallen }
      this.captions.hear(event)
      this.#onEvent(event)
    }
    this.#onEvent({ _tag: "ChainRestarted", reason, atSample: this.ring.writtenTo })
  }

  /** The mixer may have moved an item's start: a replacement continues in its sound at the same position. */
  #begun({ endSample, itemId }: Extract<AirEvent, { readonly _tag: "Started" }>): void {
    const item = this.#plan?.items.find((one) => one.itemId === itemId)
    if (item === undefined || endSample === null) return
    const startSample = endSample - (item.sound.cue.cueOut - item.sound.cue.cueIn)
    if (startSample !== item.startSample)
      this.#plan = new AirPlan({
        ...this.#plan!,
        items: this.#plan!.items.map((one) => (one === item ? new AirItem({ ...item, startSample }) : one))
      })
  }

  #hear(event: AirEvent): void {
    this.captions.hear(event)
    this.#open.hear(event)
    if (event._tag === "Started") {
      this.#current = event
      this.#begun(event)
      const { label } = event
      for (const window of this.windows.values()) {
        window.label({
          id: labelId(event.atSample),
          atSample: event.atSample,
          title: label.title,
          artist: label.artist,
          kind: label.kind,
          synthetic: label.synthetic,
          plannedEndSample: event.endSample,
          endSample: null
        })
      }
      this.mp3.label(event.atSample, label)
    }
    this.#onEvent(event)
  }

  get status(): AirStatus {
    const renderedTo = this.ring.writtenTo
    const nowSample = this.clock.nowSample()
    // A worker's report on its outputs outlives it; the position in shared memory does not.
    const behindMs = Math.round(((nowSample - renderedTo) * 1_000) / sampleRateHz)
    return {
      renderedTo,
      nowSample,
      nowMs: Math.round(this.clock.readMs()),
      driftMs: this.#driftMs,
      emergency: this.#emergencyOn,
      ...(this.#liveOn === null ? {} : { live: true }),
      onAir: this.#current,
      sounding: this.#open.sounding,
      sentBefore: this.#sentBefore,
      outputs: this.#outputs.map((output) => ({
        ...output,
        running: output.running && behindMs < airStaleMs,
        lagMs: output.lagMs === null ? null : Math.max(output.lagMs, behindMs)
      })),
      probe: this.#probe
    }
  }
}
