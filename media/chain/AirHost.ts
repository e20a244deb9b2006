import { Schema } from "effect"
import {
  AirEvent,
  AirItem,
  AirPlan,
  type AirPlanApplied,
  type AirStatus,
  blamelessSkips,
  ItemLabel,
  StagedSound
} from "../../schema/air/Air.ts"
import { AirState, AirStep } from "../../schema/air/AirStep.ts"
import {
  type Disclosures,
  emergencyMark,
  markOfStation,
  stationMark,
  type SyntheticMark
} from "../../schema/Synthetic.ts"
import {
  aacFrameSamples,
  airStaleMs,
  followBehindMs,
  followSegments,
  segmentFrames,
  standbyReadyMs,
  untoldEventsMax
} from "../../engine/rules/air/limits.ts"
import type { ItemId } from "../../schema/Ids.ts"
import type { StandbyFigures } from "../../schema/ActorTree.ts"
import { sampleRateHz } from "../../schema/time/Samples.ts"
import { type AirOwnership, CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"
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
  readonly ownership: AirOwnership
  /** It has taken the air, and renders what is missing until now. */
  #catchesUp = false
  #startFrame: number
  #sentBefore: number | null
  /** First sample of what this chain rendered as a standby, once it leads. */
  #followedFrom: number | null = null
  /** Steps of the process that this one follows, for the next worker; null while it leads. */
  #follow: ReadonlyArray<AirStep> | null = null
  /** Events since this chain began to follow, for the actor that takes over. */
  #untold: ReadonlyArray<AirEvent> = []
  #keepsEvents = false
  /** The followed process plays an item that this one had to skip. */
  #lacksSound = false
  readonly #stationName: string
  #mark = stationMark
  #emergencyDisclosure = emergencyMark.disclosure
  #plan: AirPlan | null = null
  #library: ReadonlyArray<StagedSound> = []
  #emergency: string | null = null
  #liveOn: { readonly label: ItemLabel; readonly reason: string } | null = null
  #current: Extract<AirEvent, { readonly _tag: "Started" }> | null = null
  #outputs: ReadonlyArray<OutputState> = []
  #emergencyOn = false
  /** What the last report of a worker said: whether live sound and the emergency programme are on. */
  #told = { live: false, emergency: false }
  #driftMs = 0
  #open: OpenStretches
  #probe: AirStatus["probe"] = { silent: false, loudnessLufs: null, checkedAtMs: null }
  readonly #onEvent: (event: AirEvent) => void
  readonly #onPart: (part: Part) => void
  readonly #onMp3: (bytes: Uint8Array) => void
  readonly #onMetered: (reading: MeterReading) => void
  readonly #onJournal: (stopped: string | null) => void
  readonly #onCut: (discontinuity: Discontinuity) => void
  readonly #onStep: (step: AirStep) => void

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
      readonly onStep?: (step: AirStep) => void
    },
    ownership: AirOwnership = CurrentAirOwnership.defaultValue()
  ) {
    this.ownership = ownership
    this.clock = beginning.clock
    this.windows = beginning.windows
    this.#startFrame = beginning.startFrame
    this.#sentBefore = beginning.sentBefore
    this.#stationName = stationName
    this.#onEvent = (event) => {
      if (this.#keepsEvents) this.#untold = [...this.#untold.slice(1 - untoldEventsMax), event]
      on.event(event)
    }
    this.#onPart = on.part
    this.#onCut = on.onCut
    this.#onMp3 = on.onMp3
    this.#onJournal = on.onJournal
    this.#onMetered = on.onMeter ?? (() => {})
    this.#onStep = on.onStep ?? (() => {})
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
      follow: this.#follow === null ? null : Schema.encodeSync(Schema.Array(AirStep))(this.#follow),
      ffmpeg,
      stationName: this.#stationName,
      emergencyDisclosure: this.#emergencyDisclosure,
      journalPath,
      breakable
    }
  }

  /** What this chain plays, for another that begins to follow it. */
  get state(): AirState {
    const total = (variant: HlsVariant) => this.windows.get(variant)!.discontinuities
    return new AirState({
      plan: this.#plan,
      library: this.#library,
      emergency: this.#emergency,
      live: this.#liveOn,
      current: this.#current,
      discontinuities: { aac128: total("aac128"), aac64: total("aac64") }
    })
  }

  /** Whether what this chain renders is sent to listeners. */
  get isOnAir(): boolean {
    return this.ownership.holds() && !this.#catchesUp && this.#follow === null
  }

  get isFollowing(): boolean {
    return this.#follow !== null
  }

  /** Whether a standby had to skip an item that its owner plays: its sound could not be read here. */
  get lacksSound(): boolean {
    return this.#lacksSound
  }

  /** Ready: in step, with every sound of the owner, and with a whole segment in each window, which players without parts need. */
  get standby(): StandbyFigures {
    if (this.#follow === null) return { lagMs: null, isReady: false }
    const lagMs = Math.round(((this.clock.nowSample() - this.ring.writtenTo) * 1_000) / sampleRateHz)
    const isFull = [...this.windows.values()].every(({ segments }) => segments.some(({ whole }) => whole !== null))
    return { lagMs, isReady: isFull && lagMs < standbyReadyMs && !this.#lacksSound }
  }

  /** The first frame of a chain that begins to follow now: of a whole segment that this process has not begun. */
  get nextFollowFrame(): number {
    const dueSample = this.clock.nowSample() - (followBehindMs * sampleRateHz) / 1_000
    const due = Math.floor(dueSample / aacFrameSamples)
    const begun = Math.max(...[...this.windows.values()].map(nextFrameOf))
    return Math.max(
      due - (due % segmentFrames) - followSegments * segmentFrames,
      Math.ceil(begun / segmentFrames) * segmentFrames
    )
  }

  /** Begins anew in the middle of what another process plays, between two workers. `steps` come after `state`. */
  follow(startFrame: number, state: AirState, steps: ReadonlyArray<AirStep>): void {
    const startSample = startFrame * aacFrameSamples
    this.#startFrame = startFrame
    this.#sentBefore = null
    this.#followedFrom = null
    this.#follow = steps
    this.#untold = []
    this.#keepsEvents = true
    this.#lacksSound = false
    this.#open = new OpenStretches(startSample)
    this.ring.begin(startSample)
    this.mp3.beginAt(Math.ceil(startSample / mp3FrameSamples))
    for (const window of this.windows.values()) window.restore([], [], state.discontinuities[window.variant])
    this.#library = state.library
    this.adopt(state)
    if (state.current !== null) this.#label(state.current)
  }

  /** What the followed process plays by now. The worker is told the steps that lead to it. */
  adopt(state: AirState): void {
    this.#emergency = state.emergency
    this.#liveOn = state.live
    this.#plan = state.plan
    if (state.plan === null) return
    this.waves.expect(state.plan.items)
    this.#plan = new AirPlan({ ...state.plan, items: this.captions.expect(state.plan.items) })
  }

  /** This process has the air from here on. What the former owner had sent by its last sign of life, listeners have heard from it. */
  lead(): void {
    const silentMs = this.ownership.formerSilentMs()
    const sentBefore = silentMs === null ? null : this.clock.nowSample() - Math.round((silentMs * sampleRateHz) / 1_000)
    if (this.#follow === null) {
      if (sentBefore !== null) this.#sentBefore = Math.max(this.#sentBefore ?? sentBefore, sentBefore)
      return
    }
    this.#follow = null
    this.#catchesUp = true
    this.#sentBefore = Math.min(this.ring.writtenTo, sentBefore ?? Number.POSITIVE_INFINITY)
    this.#followedFrom = this.#startFrame * aacFrameSamples
  }

  noteCaughtUp(): void {
    this.#catchesUp = false
  }

  /** Events since this chain began to follow, once. */
  takeUntold(): ReadonlyArray<AirEvent> {
    const untold = this.#untold
    this.#untold = []
    this.#keepsEvents = false
    return untold
  }

  #step(step: AirStep): void {
    if (this.#follow === null) this.#onStep(step)
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
    this.#step({ _tag: "Planned", plan, atSample: applied.renderedTo })
  }

  setLibrary(library: ReadonlyArray<StagedSound>): void {
    this.#library = library
  }

  /** Mark of the whole station, in playlists and headers of streams. */
  get mark(): SyntheticMark {
    return this.#mark
  }

  /** Texts of the marks of the station and of its emergency programme. */
  disclose({ emergency, station }: Disclosures): void {
    this.#mark = markOfStation(station)
    this.#emergencyDisclosure = emergency
  }

  /** Fencing token of the owner that plays: of its lease, or of its plan; null until there is one. */
  get fence(): number | null {
    const tokens = [this.ownership.fence(), this.#plan?.fence ?? null].filter((fence) => fence !== null)
    return tokens.length === 0 ? null : Math.max(...tokens)
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
        this.mp3.accept(message.firstFrame, message.bytes, message.frames, this.isOnAir)
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
    // What a standby rendered, nobody has heard: it begins anew.
    if (this.#follow !== null) return
    for (const fallen of this.#open.fallen(this.ring, reason)) {
      const event = { _tag: "Spanned" as const, ...fallen }
      this.captions.hear(event)
      this.#onEvent(event)
    }
    this.#onEvent({ _tag: "ChainRestarted", reason, atSample: this.ring.writtenTo })
  }

  /**
   * Reports the end of live sound or of the emergency programme, if the last worker died before it could: the next one begins without it, and
   * has nothing to report. Called before each worker's start.
   */
  reportMissedEnds(reason: string): void {
    // Nobody heard what a standby rendered.
    if (this.#follow !== null) {
      this.#told = { live: false, emergency: false }
      return
    }
    const ended = { on: false, reason, atSample: this.ring.writtenTo } as const
    if (this.#told.live && this.#liveOn === null) this.#hear({ _tag: "LiveChanged", ...ended })
    if (this.#told.emergency && this.#emergency === null) this.#hear({ _tag: "EmergencyChanged", ...ended })
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
    if (event._tag === "Skipped" && !Object.values<string>(blamelessSkips).includes(event.reason))
      this.#lacksSound = true
    if (event._tag === "Started") {
      if (event.itemId !== null) this.#lacksSound = false
      this.#current = event
      this.#begun(event)
      this.#label(event)
    }
    if (event._tag === "EmergencyChanged") {
      this.#told.emergency = event.on
      this.#step({ _tag: "Emergency", on: event.on, reason: event.reason, atSample: event.atSample })
    }
    if (event._tag === "LiveChanged") {
      this.#told.live = event.on
      this.#step({
        _tag: "Live",
        label: event.on ? (this.#liveOn?.label ?? null) : null,
        reason: event.reason,
        atSample: event.atSample
      })
    }
    this.#onEvent(event)
  }

  #label({ atSample, endSample, label }: Extract<AirEvent, { readonly _tag: "Started" }>): void {
    for (const window of this.windows.values()) {
      window.label({
        id: labelId(atSample),
        atSample,
        title: label.title,
        artist: label.artist,
        kind: label.kind,
        synthetic: label.synthetic,
        plannedEndSample: endSample,
        endSample: null
      })
    }
    this.mp3.label(atSample, label)
  }

  /** Items that ended while this chain followed, or before the actor took over: they are still to be logged. */
  get #untoldItems(): ReadonlyArray<ItemId> {
    return this.#untold.flatMap((event) =>
      event._tag === "Spanned" && event.span.itemId !== null ? [event.span.itemId] : []
    )
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
      sounding: [...new Set([...this.#open.sounding, ...this.#untoldItems])],
      sentBefore: this.#sentBefore,
      followedFrom: this.#followedFrom,
      ...(this.#catchesUp || this.#follow !== null ? { catchesUp: true } : {}),
      outputs: this.#outputs.map((output) => ({
        ...output,
        running: output.running && behindMs < airStaleMs,
        lagMs: output.lagMs === null ? null : Math.max(output.lagMs, behindMs)
      })),
      probe: this.#probe
    }
  }
}
