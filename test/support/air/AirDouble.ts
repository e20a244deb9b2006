import { Effect, Layer, PubSub, Schedule, Stream, Clock } from "effect"
import { makeNoLive } from "./NoLive.ts"
import { Air } from "../../../engine/ports/Air.ts"
import { mixLeadMs } from "../../../engine/rules/air/limits.ts"
import { sampleRateHz, msToSamples, sampleOf } from "../../../schema/time/Samples.ts"
import {
  type AirEvent,
  type AirItem,
  AirPlanApplied,
  AirSpan,
  AirStatus,
  ItemLabel,
  OutputHealth,
  blamelessSkips,
  type StagedSound,
  StalePlan
} from "../../../schema/air/Air.ts"
import type { Disclosures } from "../../../schema/Synthetic.ts"

const emergencyLabel = new ItemLabel({ title: "Emergency programme", artist: null, kind: "other" })
const fallbackLabel = new ItemLabel({ title: "Longwave", artist: null, kind: "filler" })
const pauseLabel = new ItemLabel({ title: "Pause", artist: null, kind: "other" })
const segueMaxSamples = sampleRateHz * 6
interface Tail {
  readonly item: AirItem | null
  readonly label: ItemLabel
  readonly first: number
  readonly before: number
  readonly complete: boolean
}
/**
 * A mixer without sound: follows the given clock, airs plans as the port specifies, and reports events. `spans` are the aired
 * items, `overlaps` the voices that began over others; `refuse` makes it skip an item as if its file were missing.
 */
export const makeAirDouble = Effect.gen(function* () {
  const events = yield* PubSub.unbounded<AirEvent>()
  const spans: Array<AirSpan> = []
  const libraries: Array<ReadonlyArray<StagedSound>> = []
  const disclosures: Array<Disclosures> = []
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
  let begunAt = 0
  let tails: ReadonlyArray<Tail> = []
  let renderedTo = 0

  const lengthOf = (item: AirItem) => item.sound.cue.cueOut - item.sound.cue.cueIn
  const stepOf = (item: AirItem) =>
    item.speech ? lengthOf(item) : Math.min(lengthOf(item), item.sound.cue.segue - item.sound.cue.cueIn)
  const labelOf = (item: AirItem | null) => item?.label ?? (emergency ? emergencyLabel : fallbackLabel)
  const tell = (event: AirEvent) => PubSub.publishUnsafe(events, event)
  const spanOf = ({ complete, first, item, label }: Tail, before: number, goesOn: boolean, since: number) => {
    const span = new AirSpan({
      itemId: item?.itemId ?? null,
      label,
      firstSample: first,
      lastSample: before - 1,
      complete,
      layers: [],
      trace: item?.trace ?? [],
      pcmSha256: "00",
      ...(since < first ? { stillSoundingFromSample: since } : {})
    })
    spans.push(span)
    tell({ _tag: "Spanned", span, ...(goesOn ? { goesOn } : {}) })
  }
  /** Spans of sounds that end before a sample, in the order of their ends. */
  const endBefore = (sample: number) => {
    for (;;) {
      const [next] = tails
        .filter(({ before }) => before < sample)
        .sort((a, b) => a.before - b.before || a.first - b.first)
      if (next === undefined) return
      tails = tails.filter((tail) => tail !== next)
      spanOf(
        next,
        next.before,
        false,
        Math.min(
          ...tails.filter(({ item }) => item !== null).map(({ first }) => first),
          current?.item == null ? Infinity : current.first
        )
      )
    }
  }
  /**
   * An item with an entry replaces the label; the former sound may continue. A cut item ends at once, with everything that sounds
   * with it.
   */
  const end = (at: number, cut: boolean) => {
    if (cut) tails = tails.map((tail) => (tail.before > at ? { ...tail, before: at, complete: false } : tail))
    if (current === null || at <= current.first) return
    const { first, item, label } = current
    const own = item === null ? at : begunAt + lengthOf(item)
    const before = cut || item === null ? Math.min(at, own) : item.speech ? own : Math.min(own, at + segueMaxSamples)
    tails = [
      ...tails,
      {
        first,
        item,
        label,
        before,
        complete: item !== null && (!cut || own <= at) && (item.speech || own <= at || at >= begunAt + stepOf(item))
      }
    ]
    // Silence before the next start is a pause.
    if (before < at && !tails.some((tail) => tail.before >= at))
      tails = [
        ...tails,
        {
          first: Math.max(...tails.map((tail) => tail.before)),
          item: null,
          label: pauseLabel,
          before: at,
          complete: true
        }
      ]
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
    begunAt = at
    tell({ _tag: "Started", itemId: item?.itemId ?? null, label: current.label, atSample: at, endSample: ends })
    endBefore(at + 1)
  }
  const render = (to: number) => {
    for (;;) {
      const next = plan[0]
      const follows = next !== undefined && (ends === null || next.startSample <= ends + (next.pauseSamples ?? 0))
      if (emergency && next !== undefined && next.startSample < to) {
        plan = plan.slice(1)
        tell({ _tag: "Skipped", itemId: next.itemId, reason: blamelessSkips.emergency })
      } else if (next !== undefined && next.startSample < to && follows) {
        plan = plan.slice(1)
        if (refuse.has(next.sound.assetId)) tell({ _tag: "Skipped", itemId: next.itemId, reason: "missing" })
        else begin(next, Math.max(next.startSample, renderedTo))
      } else if (ends !== null && ends < to && !(follows && next.startSample > ends)) {
        renderedTo = ends
        begin(null, ends)
      } else break
    }
    renderedTo = Math.max(renderedTo, to)
    endBefore(renderedTo + 1)
  }

  /** The chain dies: the next one continues at the same position, or has no memory. */
  const fail = (knows: boolean) => {
    const item = current?.item ?? null
    const from = current === null || item === null ? renderedTo : begunAt
    // Only labelled sound continues.
    tails = tails.map((tail) => ({ ...tail, before: Math.min(tail.before, renderedTo), complete: false }))
    endBefore(renderedTo + 1)
    if (current !== null && current.first < renderedTo)
      spanOf({ ...current, before: renderedTo, complete: false }, renderedTo, item !== null, Infinity)
    current = { item: knows ? item : null, label: labelOf(knows ? item : null), first: renderedTo }
    ends = knows && item !== null ? from + lengthOf(item) : null
    if (!knows) plan = []
    // A listener may answer before this returns.
    tell({ _tag: "ChainRestarted", reason: "test", atSample: renderedTo })
    tell({
      _tag: "Started",
      itemId: knows && item !== null ? item.itemId : null,
      label: current.label,
      atSample: renderedTo,
      endSample: ends
    })
  }

  const clock = yield* Clock.Clock
  /** Offset of the machine's clock since the start; the broadcast time doesn't follow it. */
  const wall = { setByMs: 0 }
  const nowMs = () => clock.currentTimeMillisUnsafe() - wall.setByMs
  const nowSample = () => sampleOf(nowMs())
  const catchUp = Effect.sync(() => render(nowSample() + msToSamples(mixLeadMs)))
  renderedTo = nowSample() + msToSamples(mixLeadMs)
  begin(null, renderedTo)

  const air = Air.of({
    plan: (next) =>
      Effect.andThen(
        catchUp,
        Effect.suspend(() => {
          if (next.fence < force.fence || (next.fence === force.fence && next.revision < force.revision))
            return Effect.fail(new StalePlan({ fence: force.fence, revision: force.revision }))
          if (next.fence === force.fence && next.revision === force.revision && applied !== null)
            return Effect.succeed(applied)
          force = { fence: next.fence, revision: next.revision }
          // An item that has begun doesn't begin again.
          const items = next.items.filter(({ itemId }) => !begun.includes(itemId))
          // What should begin now has begun by itself: it isn't cut, and the others follow it.
          const goesOn = next.entry === "now" && current?.item != null && current.item.itemId === next.items[0]?.itemId
          const shift = goesOn
            ? begunAt - next.items[0]!.startSample
            : next.entry === "now" && items[0] !== undefined
              ? renderedTo - items[0].startSample
              : 0
          plan = items
            .map((item) => ({ ...item, startSample: item.startSample + shift }) as AirItem)
            .filter((item) => item.startSample >= renderedTo)
          if (next.entry === "now" && !goesOn) {
            const first = plan[0]
            plan = plan.slice(1)
            begin(first ?? null, renderedTo, true)
          }
          applied = new AirPlanApplied({ revision: next.revision, shiftSamples: shift, renderedTo })
          return Effect.succeed(applied)
        })
      ),
    disclose: (told) => Effect.sync(() => void disclosures.push(told)),
    emergencyLibrary: (sounds) => Effect.sync(() => void libraries.push(sounds)),
    emergency: (on, reason) =>
      Effect.andThen(
        catchUp,
        Effect.sync(() => {
          if (emergency === on) return
          emergency = on
          tell({ _tag: "EmergencyChanged", on, reason, atSample: renderedTo })
          if (on || current?.item === null) begin(null, renderedTo, true)
        })
      ),
    status: Effect.andThen(
      catchUp,
      Effect.sync(
        () =>
          new AirStatus({
            renderedTo,
            nowSample: nowSample(),
            nowMs: nowMs(),
            driftMs: 0,
            emergency,
            onAir:
              current === null
                ? null
                : {
                    _tag: "Started",
                    itemId: current.item?.itemId ?? null,
                    label: current.label,
                    atSample: current.first,
                    endSample: ends
                  },
            outputs: [
              new OutputHealth({
                id: "mp3",
                running: true,
                bitrateKbps: 128,
                lastPartAtMs: nowMs(),
                lagMs: 55,
                restarts: 0,
                startedAtMs: 0
              })
            ],
            probe: { silent: false, loudnessLufs: -16, checkedAtMs: null }
          })
      )
    ),
    events: Stream.fromPubSub(events),
    meters: Stream.never,
    live: makeNoLive()
  })
  yield* Effect.forkScoped(Effect.repeat(catchUp, Schedule.spaced(500)))
  return {
    air,
    spans,
    libraries,
    disclosures,
    refuse,
    overlaps,
    wall,
    fail: (knows: boolean) =>
      Effect.andThen(
        catchUp,
        Effect.sync(() => fail(knows))
      ),
    onAir: () => current?.item ?? null,
    planOf: () => plan,
    layer: Layer.succeed(Air, air)
  }
})
export type AirDouble = Effect.Success<typeof makeAirDouble>
