import { Effect, Layer, PubSub, Schedule, Stream, Clock } from "effect"
import { Air } from "../../engine/ports/Air.ts"
import { mixLeadMs } from "../../engine/Limits.ts"
import { msToSamples, sampleOf } from "../../engine/rules/Timing.ts"
import { type AirEvent, type AirItem, AirPlanApplied, AirSpan, AirStatus, ItemLabel, OutputHealth, passedOverBlameless, type StagedSound, StalePlan } from "../../schema/Air.ts"

const emergencyLabel = new ItemLabel({ title: "Emergency programme", artist: null, kind: "other" })
const fallbackLabel = new ItemLabel({ title: "Longwave", artist: null, kind: "filler" })

/**
 * A mixer without sound: keeps time by the clock it is given, airs plans as the port promises, and tells what happened.
 * What it aired can be read from `spans`, voices that began over others from `overlaps`; `refuse` makes it pass an item over as if its file had gone.
 */
export const makeAirDouble = Effect.gen(function*() {
  const events = yield* PubSub.unbounded<AirEvent>()
  const spans: Array<AirSpan> = []
  const libraries: Array<ReadonlyArray<StagedSound>> = []
  const refuse = new Set<string>()
  const overlaps: Array<string> = []
  let voiceUntil = 0
  let begun: ReadonlyArray<string> = []
  let applied: AirPlanApplied | null = null
  let plan: ReadonlyArray<AirItem> = []
  let force = { fence: 0, revision: 0 }
  let emergency = false
  let current: { item: AirItem | null; label: ItemLabel; first: number } | null = null
  let ends: number | null = null
  let renderedTo = 0

  const lengthOf = (item: AirItem) => item.sound.cue.cueOut - item.sound.cue.cueIn
  const stepOf = (item: AirItem) => item.speech ? lengthOf(item) : Math.min(lengthOf(item), item.sound.cue.segue - item.sound.cue.cueIn)
  const labelOf = (item: AirItem | null) => item?.label ?? (emergency ? emergencyLabel : fallbackLabel)
  const tell = (event: AirEvent) => PubSub.publishUnsafe(events, event)
  const end = (before: number, cut: boolean) => {
    if (current === null || before <= current.first) return
    const { first, item, label } = current
    const span = new AirSpan({
      itemId: item?.itemId ?? null, label, firstSample: first, lastSample: before - 1,
      complete: item !== null && (!cut || before >= first + stepOf(item)),
      layers: [], trace: item?.trace ?? [], pcmSha256: "00"
    })
    spans.push(span)
    tell({ _tag: "Spanned", span })
  }
  const begin = (item: AirItem | null, at: number, cut = false) => {
    if (cut) voiceUntil = 0
    if (item?.speech === true) {
      if (at < voiceUntil) overlaps.push(item.itemId)
      voiceUntil = at + lengthOf(item)
    }
    end(at, cut)
    if (item !== null) begun = [...begun.slice(-64), item.itemId]
    current = { item, label: labelOf(item), first: at }
    ends = item === null ? null : at + lengthOf(item)
    tell({ _tag: "Started", itemId: item?.itemId ?? null, label: current.label, atSample: at, endSample: ends })
  }
  const render = (to: number) => {
    for (;;) {
      const next = plan[0]
      const follows = next !== undefined && (ends === null || next.startSample <= ends + (next.pauseSamples ?? 0))
      if (emergency && next !== undefined && next.startSample < to) {
        plan = plan.slice(1)
        tell({ _tag: "PassedOver", itemId: next.itemId, reason: passedOverBlameless.emergency })
      } else if (next !== undefined && next.startSample < to && follows) {
        plan = plan.slice(1)
        if (refuse.has(next.sound.assetId)) tell({ _tag: "PassedOver", itemId: next.itemId, reason: "missing" })
        else begin(next, Math.max(next.startSample, renderedTo))
      } else if (ends !== null && ends < to && !(follows && next.startSample > ends)) {
        renderedTo = ends
        begin(null, ends)
      } else break
    }
    renderedTo = Math.max(renderedTo, to)
  }

  /** The chain dies: the next one goes on where it was, or knows of nothing. */
  const fall = (knows: boolean) => {
    const item = current?.item ?? null
    const from = current === null || item === null ? renderedTo : current.first
    end(renderedTo, true)
    current = { item: knows ? item : null, label: labelOf(knows ? item : null), first: renderedTo }
    ends = knows && item !== null ? from + lengthOf(item) : null
    if (!knows) plan = []
    // Whoever listens may answer before this returns.
    tell({ _tag: "ChainRestarted", reason: "test", atSample: renderedTo })
    tell({ _tag: "Started", itemId: knows && item !== null ? item.itemId : null, label: current.label, atSample: renderedTo, endSample: ends })
  }

  const clock = yield* Clock.Clock
  /** By how much the machine's clock has been set since: the broadcast's own time does not follow it. */
  const wall = { setByMs: 0 }
  const nowMs = () => clock.currentTimeMillisUnsafe() - wall.setByMs
  const nowSample = () => sampleOf(nowMs())
  const catchUp = Effect.sync(() => render(nowSample() + msToSamples(mixLeadMs)))
  renderedTo = nowSample() + msToSamples(mixLeadMs)
  begin(null, renderedTo)

  const air = Air.of({
    plan: (next) => Effect.andThen(catchUp, Effect.suspend(() => {
      if (next.fence < force.fence || (next.fence === force.fence && next.revision < force.revision)) return Effect.fail(new StalePlan({ fence: force.fence, revision: force.revision }))
      if (next.fence === force.fence && next.revision === force.revision && applied !== null) return Effect.succeed(applied)
      force = { fence: next.fence, revision: next.revision }
      // What has begun begins no second time.
      const items = next.items.filter(({ itemId }) => !begun.includes(itemId))
      const shift = next.entry === "now" && items[0] !== undefined ? renderedTo - items[0].startSample : 0
      plan = items.map((item) => ({ ...item, startSample: item.startSample + shift }) as AirItem).filter((item) => item.startSample >= renderedTo)
      if (next.entry === "now") {
        const first = plan[0]
        plan = plan.slice(1)
        begin(first ?? null, renderedTo, true)
      }
      applied = new AirPlanApplied({ revision: next.revision, shiftSamples: shift, renderedTo })
      return Effect.succeed(applied)
    })),
    emergencyLibrary: (sounds) => Effect.sync(() => void libraries.push(sounds)),
    emergency: (on, reason) => Effect.andThen(catchUp, Effect.sync(() => {
      if (emergency === on) return
      emergency = on
      tell({ _tag: "EmergencyChanged", on, reason, atSample: renderedTo })
      if (on || current?.item === null) begin(null, renderedTo, true)
    })),
    status: Effect.andThen(catchUp, Effect.sync(() => new AirStatus({
      renderedTo, nowSample: nowSample(), nowMs: nowMs(), driftMs: 0, emergency,
      onAir: current === null ? null : { _tag: "Started", itemId: current.item?.itemId ?? null, label: current.label, atSample: current.first, endSample: ends },
      outputs: [new OutputHealth({ id: "mp3", running: true, bitrateKbps: 128, lastPartAtMs: nowMs(), lagMs: 55, restarts: 0, startedAtMs: 0 })],
      probe: { silent: false, loudnessLufs: -16, checkedAtMs: null }
    }))),
    events: Stream.fromPubSub(events)
  })
  yield* Effect.forkScoped(Effect.repeat(catchUp, Schedule.spaced(500)))
  return { air, spans, libraries, refuse, overlaps, wall, fall: (knows: boolean) => Effect.andThen(catchUp, Effect.sync(() => fall(knows))), onAir: () => current?.item ?? null, planned: () => plan, layer: Layer.succeed(Air, air) }
})

export type AirDouble = Effect.Success<typeof makeAirDouble>
