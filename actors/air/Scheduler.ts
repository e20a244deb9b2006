import { Effect, Ref } from "effect"
import type { AirPlanApplied, AirStatus } from "../../schema/air/Air.ts"
import type { AssetId, ItemId, SegmentId, TrackId } from "../../schema/Ids.ts"
import type { FenceLost, Play, Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import {
  planLeadMs,
  playsRememberedMax,
  rundownAheadSec,
  rundownItemsMin,
  rundownMarginItems,
  rundownMarginMs,
  stagingMs,
  unairableTriesMax
} from "../../engine/rules/air/limits.ts"
import { Air } from "../../engine/ports/Air.ts"
import type { Break } from "../../engine/rules/air/Announcer.ts"
import { compose, type Plan, type PlanAsk, playOf } from "../../engine/rules/air/Planner.ts"
import type { RotationRules } from "../../engine/rules/air/Rotation.ts"
import {
  beginItem,
  emptyRundown,
  horizonOf,
  isDeep,
  isMakeshift,
  listParkable,
  revise,
  shift,
  unpark
} from "../../engine/rules/air/Rundown.ts"
import { lengthOf } from "../../engine/rules/air/ItemSequence.ts"
import { msOf, msToSamples } from "../../schema/time/Samples.ts"
import { AsRun } from "../../engine/store/air/AsRun.ts"
import { RundownsWriter } from "../../engine/store/air/Rundowns.ts"
import { makeCandidateFeed } from "./CandidateFeed.ts"
import { makeRundownEdits } from "./RundownEdits.ts"
import { hasSucceeded } from "./CandidatePool.ts"

/** Whether something else than the rundown is heard: the emergency programme, or live sound. */
const isTaken = ({ emergency, live }: Pick<AirStatus, "emergency" | "live">): boolean => emergency || live === true

export interface SchedulerOptions {
  readonly stationId: string
  readonly fence: number
  readonly zone: string
  /** Rules of the rotation, which operators may change at any time. */
  readonly rotation: Effect.Effect<RotationRules>
  /** Items that have been sounding since before this incarnation. */
  readonly goOn: ReadonlyArray<RundownItem>
  /** Items in the last plan sent to the mixer. Those behind its position have begun. */
  readonly sent: Effect.Effect<ReadonlySet<ItemId>>
  /** True when everything heard is stored. */
  readonly told: Effect.Effect<boolean>
  /** Sends the rundown to the transmitter. Answers by how many samples it was shifted, and how far the mixer was when it took it. */
  readonly transmit: (
    rundown: Rundown,
    entry: "boundary" | "now"
  ) => Effect.Effect<Pick<AirPlanApplied, "shiftSamples" | "renderedTo">, FenceLost>
}
/** A track whose approval, given at `sinceMs`, is undone. */
interface RecalledTrack {
  readonly trackId: TrackId
  readonly assetId: AssetId
  readonly sinceMs: number
}

/** Plans the rundown and is its only writer. Steps run one at a time in one mailbox. */
export const makeScheduler = Effect.fnUntraced(function* (options: SchedulerOptions) {
  const { fence, stationId, transmit, zone } = options
  const air = yield* Air
  const asRun = yield* AsRun
  const rundowns = yield* RundownsWriter
  const feed = yield* makeCandidateFeed({ fence, zone, classes: Object.keys((yield* options.rotation).shares) })

  const saved = yield* rundowns.load(stationId)
  const { onAir, renderedTo } = yield* air.status
  // The as-run log has closed the former item on the air, unless the mixer still plays it. Logged items have been heard, even if the
  // rundown could not be saved after they began.
  const heard =
    saved === null
      ? new Set<string>()
      : yield* asRun.findLogged(
          stationId,
          saved.items.map((item) => item.id)
        )
  const state = yield* Ref.make(
    saved === null
      ? emptyRundown(stationId)
      : revise(saved, {
          onAir: [...options.goOn.map(({ id }) => id), onAir?.itemId].includes(saved.onAir?.id) ? saved.onAir : null,
          items: saved.items.filter((item) => !heard.has(item.id))
        })
  )
  yield* feed.begin(saved ?? emptyRundown(stationId), yield* Ref.get(state), options.goOn, msOf(renderedTo))
  // An emergency outlasts a restart: only an operator ends it.
  if (saved?.emergency === true) yield* air.emergency(true, "the emergency continues after a restart")
  const plays = yield* Ref.make<ReadonlyArray<Play>>(yield* asRun.listPlays(stationId, playsRememberedMax))
  const skipped = yield* Ref.make<ItemId | null>(null)
  const breaks = yield* Ref.make<ReadonlyArray<Break>>([])
  /** Live sound was released by an operator: the event of its end needs no plan. */
  const released = yield* Ref.make(false)
  /** The mixer's position when it took the last plan. Items that start before it have begun. */
  const takenAtSample = yield* Ref.make(renderedTo)
  /** True after a shift moved items with a fixed start; the next tick replans them. */
  const skewed = yield* Ref.make(false)

  // Sample time, so changes of the system clock don't move the programme.
  const look = Effect.flatMap(air.status, ({ renderedTo }) => feed.look(msOf(renderedTo)))

  const save = (next: Rundown): Effect.Effect<void, FenceLost> =>
    rundowns
      .save(next, fence)
      .pipe(Effect.catchDefect((defect) => Effect.logWarning("scheduler: the rundown could not be saved", defect)))

  const begin = Effect.fnUntraced(function* (itemId: ItemId, atSample: number) {
    const before = yield* Ref.get(state)
    const { skipped, rundown } = beginItem(before, itemId, atSample)
    // The item was already assumed to have begun.
    if (rundown === before) return
    yield* Ref.set(state, rundown)
    yield* feed.markBegun(rundown.onAir!)
    yield* Ref.update(plays, (known) => [...known, playOf(rundown.onAir!)].slice(-playsRememberedMax))
    for (const item of skipped) yield* Effect.logWarning(`scheduler: ${item.airable.title} was skipped`)
  })

  /**
   * Marks items behind the mixer's position as begun, before their events arrive: the one on the air, which the former owner of the air or an earlier
   * incarnation may have sent, and those sent since. Nothing begins in an emergency.
   */
  const settle = Effect.gen(function* () {
    const status = yield* air.status
    if (isTaken(status)) return status
    const sent = yield* options.sent
    for (const item of (yield* Ref.get(state)).items) {
      if (item.startSample < status.renderedTo && sent.has(item.id)) yield* begin(item.id, item.startSample)
    }
    // Last: what this incarnation sent before it has been heard too, though its events wait for a slow store.
    const { onAir } = status
    const item = (yield* Ref.get(state)).items.find(({ id }) => id === onAir?.itemId)
    if (onAir !== null && item !== undefined)
      yield* begin(item.id, Math.min(onAir.atSample, (onAir.endSample ?? Infinity) - lengthOf(item.airable)))
    return status
  })

  /** The rundown as it would be after a change, planned from the horizon. */
  const draft = Effect.fnUntraced(function* (from: "boundary" | "now", status: AirStatus, current: Rundown) {
    const { renderedTo } = status
    const { cursor, frozen, open } = horizonOf(current, renderedTo, from, yield* feed.hasMusic)
    const nowMs = msOf(renderedTo)
    const isKnown = yield* feed.isKnownPlan
    // Planned items also wait while the listener probe has turned on the emergency programme.
    const waits = current.emergency || (isTaken(status) && from === "boundary")
    // Holds and omissions end with their plan.
    const heldItems = [
      ...(current.heldItems ?? []).filter(({ plan }) => plan === undefined || isKnown(plan.planId)),
      ...(current.held && !waits ? listParkable(open) : [])
    ]
    const omitted = (current.omitted ?? []).filter(({ planId }) => isKnown(planId))
    const ask: PlanAsk = {
      ...(yield* feed.candidates(current, frozen, heldItems)),
      nowMs,
      zone,
      rules: yield* options.rotation,
      turn: current.turn,
      cursor,
      kept: open,
      held: current.held,
      omitted: new Set([...omitted, ...heldItems].map(({ id }) => id)),
      plays: [...(yield* Ref.get(plays)), ...frozen.map(playOf)].slice(-playsRememberedMax),
      untilSample: renderedTo + msToSamples(rundownAheadSec * 1_000 + 2 * rundownMarginMs),
      itemsMin: rundownItemsMin + 2 * rundownMarginItems
    }
    const plan: Plan = waits ? { items: open, turn: current.turn, left: [], breaks: [] } : compose(ask)
    const next = revise(current, { items: [...frozen, ...plan.items], turn: plan.turn, omitted, heldItems })
    return { ask, next, nowMs, plan, waits }
  })

  /** Replans from the horizon, saves and transmits. */
  const plan = Effect.fnUntraced(function* (from: "boundary" | "now", change: (rundown: Rundown) => Rundown) {
    const status = yield* settle
    const drafted = yield* draft(from, status, change(yield* Ref.get(state)))
    const { ask, nowMs, waits } = drafted
    const { items, left, turn } = drafted.plan
    let { next } = drafted
    yield* Ref.set(breaks, drafted.plan.breaks)
    yield* save(next)
    yield* Ref.set(state, next)
    const { renderedTo, shiftSamples } = yield* transmit(next, from)
    yield* Ref.set(takenAtSample, renderedTo)
    yield* Ref.set(skewed, shiftSamples !== 0)
    if (shiftSamples !== 0) {
      next = shift(next, shiftSamples)
      yield* save(next)
      yield* Ref.set(state, next)
    }
    yield* feed.report(next)
    yield* feed.reportPlans(next, nowMs, left)
    yield* feed.foresee(next, { ...ask, turn, kept: items }, waits)
    return next
  })

  const removeWhere = (gone: (item: RundownItem) => boolean) => (rundown: Rundown) =>
    revise(rundown, { items: rundown.items.filter((item) => !gone(item)) })
  const keep = (rundown: Rundown) => rundown
  /** Removes makeshift items in favour of new ones, unless they begin too soon to stage a replacement. */
  const improved = Effect.map(air.status, ({ renderedTo }) =>
    removeWhere((item) => isMakeshift(item) && item.startSample > renderedTo + msToSamples(stagingMs))
  )
  const replan = Effect.flatMap(look, (fresh) =>
    Effect.flatMap(improved, (better) => plan("boundary", fresh ? better : keep))
  )
  const isShallow = Effect.zipWith(
    Ref.get(state),
    air.status,
    (rundown, status) => !rundown.emergency && !isTaken(status) && !isDeep(rundown, status.renderedTo)
  )

  /**
   * Takes an item off the rundown unless the mixer has it: it sounds, it has just been heard, or it begins before a plan without it can
   * arrive. With `onlyAsked` it answers and changes nothing.
   */
  const takeBack = Effect.fnUntraced(function* ({
    isMeant,
    onlyAsked,
    wasHeard,
    withdraw
  }: {
    readonly isMeant: (item: RundownItem) => boolean
    readonly wasHeard: Effect.Effect<boolean>
    /** Removes it from the candidates of the next plan. */
    readonly withdraw: Effect.Effect<void>
    readonly onlyAsked: boolean
  }) {
    const { renderedTo } = yield* settle
    const { items, onAir } = yield* Ref.get(state)
    if ((onAir !== null && isMeant(onAir)) || (yield* wasHeard)) return "on_air" as const
    const sent = yield* options.sent
    const meant = items.filter(isMeant)
    if (meant.some(({ id, startSample }) => sent.has(id) && startSample < renderedTo + msToSamples(planLeadMs)))
      return "on_air" as const
    if (meant.length === 0) return "absent" as const
    if (onlyAsked) return "removed" as const
    yield* withdraw
    const left = yield* plan("boundary", removeWhere(isMeant))
    if (left.onAir !== null && isMeant(left.onAir)) return "on_air" as const
    // A slow store held up the plan until the mixer had begun the item: it is heard, so the rundown shows it.
    const takenAt = yield* Ref.get(takenAtSample)
    const begun = meant.find(({ id, startSample }) => sent.has(id) && startSample < takenAt)
    if (begun === undefined) return "removed" as const
    yield* Ref.set(state, revise(left, { items: [begun, ...left.items] }))
    yield* begin(begun.id, begun.startSample)
    yield* save(yield* Ref.get(state))
    return "on_air" as const
  })

  /** Removes planned items that may no longer air. */
  const recheck = Effect.gen(function* () {
    const left = yield* feed.removeGone(yield* Ref.get(state), msOf((yield* air.status).renderedTo))
    if (left !== null) yield* Ref.set(state, left)
    return left !== null
  })

  /** The plan that a change would lead to; nothing is saved, sent or told. */
  const previewPlan = (from: "boundary" | "now", change: (rundown: Rundown) => Rundown) =>
    Effect.gen(function* () {
      const { next } = yield* draft(from, yield* air.status, change(yield* Ref.get(state)))
      return next
    })

  const scheduler = {
    state: Ref.get(state),
    /** Extends, rechecks and repairs the rundown. Runs every `schedulerTickMs` and on changes. */
    tick: Effect.gen(function* () {
      let changed = false
      yield* hasSucceeded(
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
      if (changed || fresh || news || (yield* isShallow)) yield* plan("boundary", fresh ? yield* improved : keep)
    }),
    replan,
    markBegun: (itemId: ItemId, atSample: number) =>
      Effect.gen(function* () {
        const before = yield* Ref.get(state)
        yield* begin(itemId, atSample)
        const after = yield* Ref.get(state)
        if (after.onAir?.id === itemId) yield* feed.absolve(after.onAir.airable.assetId)
        if (before === after) return
        yield* save(after)
        yield* feed.report(after)
        if (yield* isShallow) yield* plan("boundary", keep)
      }),
    /** Nothing planned is heard from this sample on. */
    markUnplanned: (atSample: number) =>
      Ref.update(state, (current) =>
        current.onAir !== null && current.onAir.startSample < atSample ? revise(current, { onAir: null }) : current
      ),
    /** Removes an item that did not air. With `blamed` audio, removes all items with the same sound. */
    removeSkipped: (item: RundownItem, why: string, blamed: boolean) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        const { assetId, segmentId } = item.airable
        yield* feed.displace(rundown, item, why, blamed)
        yield* Effect.logWarning(`scheduler: ${item.airable.title} is skipped: ${why}`)
        const tries = blamed ? yield* feed.bar(assetId, msOf((yield* air.status).nowSample)) : 0
        yield* look
        // An unheard item has no end to wait for. One that was only late is planned again.
        const silence = (current: Rundown) =>
          current.onAir?.id === item.id ? revise(current, { onAir: null }) : current
        yield* plan("boundary", (current) =>
          (blamed ? removeWhere((one) => one.airable.assetId === assetId) : keep)(silence(current))
        )
        if (segmentId !== null && tries >= unairableTriesMax && why !== "disk")
          yield* feed.giveUp(segmentId, "AUDIO_LOST")
      }),
    /** Lifts expired bars of unavailable sounds. */
    forgive: Effect.flatMap(air.status, ({ nowSample }) => feed.forgive(msOf(nowSample))),
    enqueue: (segmentId: SegmentId) =>
      Effect.map(replan, (next) => next.items.find((item) => item.airable.segmentId === segmentId) ?? null),
    withdraw: (segmentId: SegmentId) =>
      Effect.gen(function* () {
        if (!(yield* Ref.get(state)).items.some((item) => item.airable.segmentId === segmentId)) return false
        yield* feed.withdraw(segmentId)
        yield* plan(
          "boundary",
          removeWhere((item) => item.airable.segmentId === segmentId)
        )
        return true
      }),
    recall: (segmentId: SegmentId, onlyAsked: boolean) =>
      takeBack({
        isMeant: (item) => item.airable.segmentId === segmentId,
        wasHeard: feed.hasBegun(segmentId),
        withdraw: feed.withdraw(segmentId),
        onlyAsked
      }),
    /** The same for a track that was approved at `sinceMs`. An earlier play doesn't count. */
    recallTrack: (track: RecalledTrack, onlyAsked: boolean) =>
      takeBack({
        isMeant: (item) => item.airable.trackId === track.trackId,
        wasHeard: Effect.map(Ref.get(plays), (known) =>
          known.some(({ assetId, atMs }) => assetId === track.assetId && atMs >= track.sinceMs)
        ),
        withdraw: feed.withdrawTrack(track.trackId),
        onlyAsked
      }),
    skip: (itemId: ItemId | null) =>
      Effect.gen(function* () {
        yield* settle
        const rundown = yield* Ref.get(state)
        const meant = rundown.onAir?.id ?? null
        if (itemId !== null && (meant !== itemId || (yield* Ref.get(skipped)) === itemId)) return rundown
        yield* Ref.set(skipped, meant)
        return yield* plan("now", keep)
      }),
    hold: (held: boolean) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        if (rundown.held === held) return rundown
        const nowMs = msOf((yield* air.status).renderedTo)
        return yield* plan("boundary", (current) => (held ? revise(current, { held }) : unpark(current, nowMs)))
      }),
    emergency: (on: boolean, why: string) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        if (on) {
          yield* air.emergency(true, why)
          if (rundown.emergency) return rundown
          const next = revise(rundown, { emergency: true })
          yield* Ref.set(state, next)
          yield* save(next)
          return next
        }
        // The mixer first: during the emergency it would skip the planned items.
        yield* air.emergency(false, why)
        return rundown.emergency ? yield* plan("now", (current) => revise(current, { emergency: false })) : rundown
      }),
    /** Breaks of the last plan that have no words. */
    breaks: Ref.get(breaks),
    /** The item wasn't heard completely; null: the one on the air. */
    interrupted: (id: ItemId | null) =>
      Effect.flatMap(Ref.get(state), ({ onAir }) => {
        const cut = id ?? onAir?.id ?? null
        return cut === null ? Effect.void : feed.interrupted(cut)
      }),
    /** Returns from live sound: the mixer first, which would skip the planned items until then. */
    release: (why: string) =>
      Effect.gen(function* () {
        const rundown = yield* Ref.get(state)
        if ((yield* air.status).live !== true) {
          yield* air.live.release(why)
          return rundown
        }
        yield* Ref.set(released, true)
        yield* air.live.release(why)
        return rundown.emergency ? rundown : yield* plan("now", keep)
      }),
    /** Plays the next item now, unless one has begun since. */
    goOnNow: Effect.gen(function* () {
      // `release` has done it.
      if (yield* Ref.getAndSet(released, false)) return
      if (!isTaken(yield* air.status)) yield* plan("now", keep)
    }),
    /** Forecasts for requests without a place. */
    forecasts: feed.forecasts,
    /** Replans after a change of song requests. Costs one read if the planner knows them all. */
    requests: Effect.gen(function* () {
      let changed = false
      yield* hasSucceeded(
        "the requests",
        Effect.map(recheck, (gone) => {
          changed = gone
        })
      )
      yield* feed.lookAtRequests
      if (changed || (yield* feed.isRequestNews(yield* Ref.get(state)))) yield* plan("boundary", keep)
    }),
    ...makeRundownEdits({
      settled: Effect.andThen(settle, Ref.get(state)),
      plan,
      note: feed.note,
      silence: feed.silence,
      groupOf: feed.groupOf,
      keep: (next) => Effect.as(Effect.andThen(save(next), Ref.set(state, next)), next)
    })
  }
  return {
    ...scheduler,
    /** The same commands without effect: each answers the rundown as it would be. */
    preview: {
      ...scheduler,
      skip: (itemId: ItemId | null) =>
        Effect.flatMap(Ref.get(state), (rundown) =>
          itemId !== null && rundown.onAir?.id !== itemId ? Effect.succeed(rundown) : previewPlan("now", keep)
        ),
      hold: (held: boolean) =>
        Effect.flatMap(air.status, ({ renderedTo }) =>
          previewPlan("boundary", (current) =>
            current.held === held ? current : held ? revise(current, { held }) : unpark(current, msOf(renderedTo))
          )
        ),
      ...makeRundownEdits({
        settled: Ref.get(state),
        plan: previewPlan,
        note: () => Effect.void,
        silence: () => Effect.void,
        groupOf: feed.groupOf,
        keep: Effect.succeed
      })
    }
  }
})
export type Scheduler = Effect.Success<ReturnType<typeof makeScheduler>>
/** What an operator's command calls: the scheduler, or its preview. */
export type SchedulerSteps = Omit<Scheduler, "preview">
