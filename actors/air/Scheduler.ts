import { Effect, Ref } from "effect"
import type { AirPlanApplied } from "../../schema/air/Air.ts"
import type { ItemId, SegmentId } from "../../schema/Ids.ts"
import type { FenceLost, Play, Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import {
  playsRememberedMax,
  rundownAheadSec,
  rundownItemsMin,
  rundownMarginItems,
  rundownMarginMs,
  stagingMs,
  unairableTriesMax
} from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import { compose, type PlanAsk, playOf } from "../../engine/rules/air/Planner.ts"
import { defaultRotation } from "../../engine/rules/air/Rotation.ts"
import {
  begun,
  emptyRundown,
  horizonOf,
  isDeep,
  isMakeshift,
  parkable,
  revised,
  shifted,
  unparked
} from "../../engine/rules/air/Rundown.ts"
import { msOf, msToSamples } from "../../schema/time/Samples.ts"
import { AsRun } from "../../engine/store/air/AsRun.ts"
import { RundownsWriter } from "../../engine/store/air/Rundowns.ts"
import { makeCandidateFeed } from "./CandidateFeed.ts"
import { makeRundownEdits } from "./RundownEdits.ts"
import { succeeded } from "./CandidatePool.ts"

export interface SchedulerOptions {
  readonly stationId: string
  readonly fence: number
  readonly zone: string
  readonly seed: number
  /** What has been sounding since before this incarnation. */
  readonly goOn: ReadonlyArray<RundownItem>
  /** What the mixer was told last: of these, what lies behind it has begun. */
  readonly sent: Effect.Effect<ReadonlySet<ItemId>>
  /** Whether the store knows all that was heard. */
  readonly told: Effect.Effect<boolean>
  /** Hands the rundown to whoever puts it on the air, and learns by how much it was moved. */
  readonly transmit: (
    rundown: Rundown,
    entry: "boundary" | "now"
  ) => Effect.Effect<Pick<AirPlanApplied, "shiftSamples">, FenceLost>
}
/**
 * Decides what airs next; nobody else writes the rundown. Its steps are performed one at a time, in one mailbox.
 */
export const makeScheduler = Effect.fnUntraced(function* (options: SchedulerOptions) {
  const { fence, stationId, transmit, zone } = options
  const air = yield* Air
  const asRun = yield* AsRun
  const rundowns = yield* RundownsWriter
  const rules = defaultRotation(options.seed)
  const feed = yield* makeCandidateFeed({ fence, zone, classes: Object.keys(rules.shares) })

  const saved = yield* rundowns.load(stationId)
  // What was on the air when the former incarnation ended is closed by the as-run writer, unless the chain still plays it.
  // What the log knows was heard, even if the rundown could not be saved any more when it began.
  const heard =
    saved === null
      ? new Set<string>()
      : yield* asRun.logged(
          stationId,
          saved.items.map((item) => item.id)
        )
  const state = yield* Ref.make(
    saved === null
      ? emptyRundown(stationId)
      : revised(saved, {
          onAir: options.goOn.find(({ id }) => id === saved.onAir?.id) === undefined ? null : saved.onAir,
          items: saved.items.filter((item) => !heard.has(item.id))
        })
  )
  const { renderedTo } = yield* air.status
  yield* feed.begin(saved ?? emptyRundown(stationId), yield* Ref.get(state), options.goOn, msOf(renderedTo))
  // An emergency is over when somebody says so, not when the station was restarted.
  if (saved?.emergency === true) yield* air.emergency(true, "the emergency goes on after a restart")
  const plays = yield* Ref.make<ReadonlyArray<Play>>(yield* asRun.plays(stationId, playsRememberedMax))
  const skipped = yield* Ref.make<ItemId | null>(null)
  /** What has a fixed start was moved with the rest when something had to begin at once: it is put right. */
  const skewed = yield* Ref.make(false)

  // The station's own time, not the machine's: a wall clock that is set moves no programme.
  const look = Effect.flatMap(air.status, ({ renderedTo }) => feed.look(msOf(renderedTo)))

  const save = (next: Rundown): Effect.Effect<void, FenceLost> =>
    rundowns
      .save(next, fence)
      .pipe(Effect.catchDefect((defect) => Effect.logWarning("scheduler: the rundown could not be saved", defect)))

  const begin = Effect.fnUntraced(function* (itemId: ItemId, atSample: number) {
    const before = yield* Ref.get(state)
    const { skipped, rundown } = begun(before, itemId, atSample)
    // The news of what was taken for begun already: it is one airing.
    if (rundown === before) return
    yield* Ref.set(state, rundown)
    yield* feed.begun(rundown.onAir!)
    yield* Ref.update(plays, (known) => [...known, playOf(rundown.onAir!)].slice(-playsRememberedMax))
    for (const item of skipped) yield* Effect.logWarning(`scheduler: ${item.airable.title} was skipped`)
  })

  /** What was sent and lies behind the mixer has begun, even if the news of that are still on their way. In an emergency nothing begins. */
  const settle = Effect.gen(function* () {
    const status = yield* air.status
    if (status.emergency) return status
    const sent = yield* options.sent
    for (const item of (yield* Ref.get(state)).items) {
      if (item.startSample < status.renderedTo && sent.has(item.id)) yield* begin(item.id, item.startSample)
    }
    return status
  })

  /** Plans anew from where planning may begin, saves, remembers, and puts it on the air. */
  const plan = Effect.fnUntraced(function* (from: "boundary" | "now", change: (rundown: Rundown) => Rundown) {
    const { emergency, renderedTo } = yield* settle
    const current = change(yield* Ref.get(state))
    const { cursor, frozen, open } = horizonOf(current, renderedTo, from, yield* feed.hasMusic)
    const nowMs = msOf(renderedTo)
    const isKnown = yield* feed.isKnownPlan
    // While the listener probe has the emergency programme on, what is planned waits, as it does in one that was ordered.
    const waits = current.emergency || (emergency && from === "boundary")
    // With a plan goes what an operator did to it.
    const heldItems = [
      ...(current.heldItems ?? []).filter(({ plan }) => plan === undefined || isKnown(plan.planId)),
      ...(current.held && !waits ? parkable(open) : [])
    ]
    const omitted = (current.omitted ?? []).filter(({ planId }) => isKnown(planId))
    const ask: PlanAsk = {
      ...(yield* feed.candidates(current, frozen, heldItems)),
      nowMs,
      zone,
      rules,
      turn: current.turn,
      cursor,
      kept: open,
      held: current.held,
      omitted: new Set([...omitted, ...heldItems].map(({ id }) => id)),
      plays: [...(yield* Ref.get(plays)), ...frozen.map(playOf)].slice(-playsRememberedMax),
      untilSample: renderedTo + msToSamples(rundownAheadSec * 1_000 + 2 * rundownMarginMs),
      itemsMin: rundownItemsMin + 2 * rundownMarginItems
    }
    const { items, left, turn } = waits ? { items: open, turn: current.turn, left: [] } : compose(ask)
    let next = revised(current, { items: [...frozen, ...items], turn, omitted, heldItems })
    yield* save(next)
    yield* Ref.set(state, next)
    const { shiftSamples } = yield* transmit(next, from)
    yield* Ref.set(skewed, shiftSamples !== 0)
    if (shiftSamples !== 0) {
      next = shifted(next, shiftSamples)
      yield* save(next)
      yield* Ref.set(state, next)
    }
    yield* feed.report(next)
    yield* feed.reportPlans(next, nowMs, left)
    yield* feed.foresee(next, { ...ask, turn, kept: items }, waits)
    return next
  })

  const leaving = (gone: (item: RundownItem) => boolean) => (rundown: Rundown) =>
    revised(rundown, { items: rundown.items.filter((item) => !gone(item)) })
  const same = (rundown: Rundown) => rundown
  /** What was taken for want of anything better makes room for what is new, unless it begins so soon that the new could not be staged. */
  const improved = Effect.map(air.status, ({ renderedTo }) =>
    leaving((item) => isMakeshift(item) && item.startSample > renderedTo + msToSamples(stagingMs))
  )
  const replan = Effect.flatMap(look, (fresh) =>
    Effect.flatMap(improved, (better) => plan("boundary", fresh ? better : same))
  )
  const isShallow = Effect.zipWith(
    Ref.get(state),
    air.status,
    (rundown, status) => !rundown.emergency && !status.emergency && !isDeep(rundown, status.renderedTo)
  )

  /** What was planned may have become impossible since. */
  const recheck = Effect.gen(function* () {
    const left = yield* feed.without(yield* Ref.get(state))
    if (left !== null) yield* Ref.set(state, left)
    return left !== null
  })

  return {
    state: Ref.get(state),
    /** Extends, rechecks and repairs: every few seconds, and whenever something may have changed. */
    tick: Effect.gen(function* () {
      let changed = false
      yield* succeeded(
        "the state of what is planned",
        Effect.map(recheck, (gone) => {
          changed = gone
        })
      )
      const fresh = yield* look
      const rundown = yield* Ref.get(state)
      const nowMs = msOf((yield* air.status).renderedTo)
      if (yield* options.told) yield* feed.reconcile(rundown, nowMs)
      const news = (yield* feed.isNews(rundown, nowMs)) || (yield* Ref.get(skewed))
      if (changed || fresh || news || (yield* isShallow)) yield* plan("boundary", fresh ? yield* improved : same)
    }),
    replan,
    begun: (itemId: ItemId, atSample: number) =>
      Effect.gen(function* () {
        const before = yield* Ref.get(state)
        yield* begin(itemId, atSample)
        const after = yield* Ref.get(state)
        if (after.onAir?.id === itemId) yield* feed.absolve(after.onAir.airable.assetId)
        if (before === after) return
        yield* save(after)
        yield* feed.report(after)
        if (yield* isShallow) yield* plan("boundary", same)
      }),
    /** From this sample on nothing planned is heard: what was on the air is so no longer. */
    unplanned: (atSample: number) =>
      Ref.update(state, (current) =>
        current.onAir !== null && current.onAir.startSample < atSample ? revised(current, { onAir: null }) : current
      ),
    /** It did not air, and what is left closes up. Where its sound is to blame, whatever has that sound leaves. */
    skipped: (item: RundownItem, why: string, blamed: boolean) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        const { assetId, segmentId } = item.airable
        yield* feed.displaced(rundown, item, why, blamed)
        yield* Effect.logWarning(`scheduler: ${item.airable.title} is skipped: ${why}`)
        const tries = blamed ? yield* feed.bar(assetId, msOf((yield* air.status).nowSample)) : 0
        yield* look
        // Nothing waits for the end of what isn't heard. What was only too late is planned again.
        const silenced = (current: Rundown) =>
          current.onAir?.id === item.id ? revised(current, { onAir: null }) : current
        yield* plan("boundary", (current) =>
          (blamed ? leaving((one) => one.airable.assetId === assetId) : same)(silenced(current))
        )
        if (segmentId !== null && tries >= unairableTriesMax && why !== "disk")
          yield* feed.giveUp(segmentId, "AUDIO_LOST")
      }),
    /** A repaired disk makes its sounds airable again. */
    forgive: Effect.flatMap(air.status, ({ nowSample }) => feed.forgive(msOf(nowSample))),
    enqueue: (segmentId: SegmentId) =>
      Effect.map(replan, (next) => next.items.find((item) => item.airable.segmentId === segmentId) ?? null),
    withdraw: (segmentId: SegmentId) =>
      Effect.gen(function* () {
        if (!(yield* Ref.get(state)).items.some((item) => item.airable.segmentId === segmentId)) return false
        yield* feed.withdraw(segmentId)
        yield* plan(
          "boundary",
          leaving((item) => item.airable.segmentId === segmentId)
        )
        return true
      }),
    skip: (itemId: ItemId | null) =>
      Effect.gen(function* () {
        yield* settle
        const rundown = yield* Ref.get(state)
        const meant = rundown.onAir?.id ?? null
        if (itemId !== null && (meant !== itemId || (yield* Ref.get(skipped)) === itemId)) return rundown
        yield* Ref.set(skipped, meant)
        return yield* plan("now", same)
      }),
    hold: (held: boolean) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        if (rundown.held === held) return rundown
        const nowMs = msOf((yield* air.status).renderedTo)
        return yield* plan("boundary", (current) => (held ? revised(current, { held }) : unparked(current, nowMs)))
      }),
    emergency: (on: boolean, why: string) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        if (on) {
          yield* air.emergency(true, why)
          if (rundown.emergency) return rundown
          const next = revised(rundown, { emergency: true })
          yield* Ref.set(state, next)
          yield* save(next)
          return next
        }
        // In this order: while the emergency is on, the mixer passes over whatever would begin.
        yield* air.emergency(false, why)
        return rundown.emergency ? yield* plan("now", (current) => revised(current, { emergency: false })) : rundown
      }),
    /** When what has no place yet would come. */
    forecasts: feed.forecasts,
    /** Somebody asked for a song, or waits no longer. What the planner knows of already costs a read. */
    requests: Effect.gen(function* () {
      let changed = false
      yield* succeeded(
        "the requests",
        Effect.map(recheck, (gone) => {
          changed = gone
        })
      )
      yield* feed.lookAtRequests
      if (changed || (yield* feed.isRequestNews(yield* Ref.get(state)))) yield* plan("boundary", same)
    }),
    ...makeRundownEdits({
      settled: Effect.andThen(settle, Ref.get(state)),
      plan,
      note: feed.note,
      groupOf: feed.groupOf,
      keep: (next) => Effect.as(Effect.andThen(save(next), Ref.set(state, next)), next)
    })
  }
})
export type Scheduler = Effect.Success<ReturnType<typeof makeScheduler>>
