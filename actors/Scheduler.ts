import { Effect, Ref } from "effect"
import type { AirPlanApplied } from "../schema/Air.ts"
import type { ItemId, SegmentId, SongRequestId } from "../schema/Ids.ts"
import { type Airable, type FenceLost, type Placement, type Play, type Rundown, RundownItem } from "../schema/Rundown.ts"
import { playsRememberedMax, rundownAheadSec, rundownItemsMin, rundownMarginItems, rundownMarginMs, stagingMs, unairableTriesMax } from "../engine/Limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { compose, type PlanAsk, playOf } from "../engine/rules/Planner.ts"
import { defaultRotation } from "../engine/rules/Rotation.ts"
import { defaultGrid } from "../engine/rules/Grid.ts"
import { begun, emptyRundown, horizonOf, isDeep, isMakeshift, placed, revised, shifted } from "../engine/rules/Rundown.ts"
import { msOf, msToSamples, sampleOf } from "../engine/rules/Timing.ts"
import { AsRun } from "../engine/store/AsRun.ts"
import { Rundowns } from "../engine/store/Rundowns.ts"
import { makeBookings } from "./Bookings.ts"
import { makeRequestDesk } from "./RequestDesk.ts"
import { makeShelf, remembering } from "./Shelf.ts"

export interface SchedulerOptions {
  readonly stationId: string
  readonly fence: number
  readonly zone: string
  readonly seed: number
  /** What the mixer was told last: of these, what lies behind it has begun. */
  readonly sent: Effect.Effect<ReadonlySet<ItemId>>
  /** Whether the store knows all that was heard. */
  readonly told: Effect.Effect<boolean>
  /** Hands the rundown to whoever puts it on the air, and learns by how much it was moved. */
  readonly transmit: (rundown: Rundown, entry: "boundary" | "now") => Effect.Effect<Pick<AirPlanApplied, "shiftSamples">, FenceLost>
}

/**
 * Decides what airs next; nobody else writes the rundown. Its steps are performed one at a time, in one mailbox.
 */
export const makeScheduler = Effect.fnUntraced(function*(options: SchedulerOptions) {
  const { fence, stationId, transmit, zone } = options
  const air = yield* Air
  const asRun = yield* AsRun
  const rundowns = yield* Rundowns
  const rules = defaultRotation(options.seed)
  const shelf = yield* makeShelf(Object.keys(rules.shares))
  const bookings = yield* makeBookings(fence)
  const desk = yield* makeRequestDesk(fence)

  const saved = yield* rundowns.load(stationId)
  // What was on the air when the former incarnation ended is closed by the transmitter; it isn't on the air now.
  // What the log knows was heard, even if the rundown could not be saved any more when it began.
  const heard = saved === null ? new Set<string>() : yield* asRun.logged(stationId, saved.items.map((item) => item.id))
  const state = yield* Ref.make(saved === null ? emptyRundown(stationId)
    : revised(saved, { onAir: null, items: saved.items.filter((item) => !heard.has(item.id)) }))
  yield* bookings.begin(yield* Ref.get(state))
  yield* desk.begin(yield* Ref.get(state))
  // An emergency is over when somebody says so, not when the station was restarted.
  if (saved?.emergency === true) yield* air.emergency(true, "the emergency goes on after a restart")
  const plays = yield* Ref.make<ReadonlyArray<Play>>(yield* asRun.plays(stationId, playsRememberedMax))
  const skipped = yield* Ref.make<ItemId | null>(null)

  // The station's own time, not the machine's: a wall clock that is set moves no programme.
  const look = Effect.gen(function*() {
    const fresh = yield* shelf.look(msOf((yield* air.status).renderedTo))
    yield* desk.look(yield* shelf.isGood)
    return fresh
  })

  const save = (next: Rundown): Effect.Effect<void, FenceLost> =>
    rundowns.save(next, fence).pipe(Effect.catchDefect((defect) => Effect.logWarning("scheduler: the rundown could not be saved", defect)))

  const begin = Effect.fnUntraced(function*(itemId: ItemId, atSample: number) {
    const before = yield* Ref.get(state)
    const { passedOver, rundown } = begun(before, itemId, atSample)
    // The news of what was taken for begun already: it is one airing.
    if (rundown === before) return
    yield* Ref.set(state, rundown)
    yield* Ref.update(plays, (known) => [...known, playOf(rundown.onAir!)].slice(-playsRememberedMax))
    for (const item of passedOver) yield* Effect.logWarning(`scheduler: ${item.airable.title} was passed over`)
  })

  /** What was sent and lies behind the mixer has begun, even if the news of that are still on their way. In an emergency nothing begins. */
  const settle = Effect.gen(function*() {
    const status = yield* air.status
    if (status.emergency) return status
    const sent = yield* options.sent
    for (const item of (yield* Ref.get(state)).items) {
      if (item.startSample < status.renderedTo && sent.has(item.id)) yield* begin(item.id, item.startSample)
    }
    return status
  })

  /** Plans anew from where planning may begin, saves, remembers, and puts it on the air. */
  const plan = Effect.fnUntraced(function*(from: "boundary" | "now", change: (rundown: Rundown) => Rundown) {
    const { emergency, renderedTo } = yield* settle
    const current = change(yield* Ref.get(state))
    const pool = yield* shelf.pool
    const { cursor, frozen, open } = horizonOf(current, renderedTo, from, pool.music.length > 0)
    const taken = new Set([current.onAir, ...current.items].map((item) => item?.airable.segmentId ?? null))
    const ask: PlanAsk = {
      nowMs: msOf(renderedTo), zone, grid: defaultGrid, rules, turn: current.turn, cursor, kept: open, held: current.held, pool,
      queued: (yield* shelf.waiting).filter((airable) => !taken.has(airable.segmentId)),
      requested: yield* desk.open(current),
      plays: [...yield* Ref.get(plays), ...frozen.map(playOf)].slice(-playsRememberedMax),
      untilSample: renderedTo + msToSamples(rundownAheadSec * 1_000 + 2 * rundownMarginMs), itemsMin: rundownItemsMin + 2 * rundownMarginItems
    }
    // While the listener probe has the emergency programme on, what is planned waits, as it does in one that was ordered.
    const waits = current.emergency || (emergency && from === "boundary")
    const { items, turn } = waits ? { items: open, turn: current.turn } : compose(ask)
    let next = revised(current, { items: [...frozen, ...items], turn })
    yield* save(next)
    yield* Ref.set(state, next)
    const { shiftSamples } = yield* transmit(next, from)
    if (shiftSamples !== 0) {
      next = shifted(next, shiftSamples)
      yield* save(next)
      yield* Ref.set(state, next)
    }
    yield* bookings.report(next)
    yield* desk.report(next)
    yield* desk.foresee(next, { ...ask, turn, kept: items }, waits)
    return next
  })

  const leaving = (gone: (item: RundownItem) => boolean) => (rundown: Rundown) =>
    revised(rundown, { items: rundown.items.filter((item) => !gone(item)) })
  const same = (rundown: Rundown) => rundown
  const has = (rundown: Rundown, id: ItemId) => rundown.onAir?.id === id || rundown.items.some((item) => item.id === id)
  /** Where the one it was meant to stand before has begun meanwhile, it comes first. */
  const put = (rundown: Rundown, item: RundownItem, before: ItemId | null) => placed(rundown, item, before) ?? placed(rundown, item, null)!
  /** A segment airs once: where else it was planned, it leaves. */
  const elsewhere = ({ segmentId }: Airable, but: ItemId | null = null) => leaving((one) => segmentId !== null && one.airable.segmentId === segmentId && one.id !== but)
  /** What was taken for want of anything better makes room for what is new, unless it begins so soon that the new could not be staged. */
  const improved = Effect.map(air.status, ({ renderedTo }) => leaving((item) => isMakeshift(item) && item.startSample > renderedTo + msToSamples(stagingMs)))
  const replan = Effect.flatMap(look, (fresh) => Effect.flatMap(improved, (better) => plan("boundary", fresh ? better : same)))
  const isShallow = Effect.zipWith(Ref.get(state), air.status, (rundown, status) => !rundown.emergency && !status.emergency && !isDeep(rundown, status.renderedTo))

  /** What was planned may have become impossible since. */
  const recheck = Effect.gen(function*() {
    const unwanted = yield* desk.without(yield* Ref.get(state))
    if (unwanted !== null) yield* Ref.update(state, (rundown) => revised(rundown, { items: unwanted }))
    const gone = yield* shelf.refused((yield* Ref.get(state)).items)
    if (gone.size === 0) return unwanted !== null
    yield* Ref.update(state, leaving(({ airable }) => gone.has(airable.segmentId ?? "") || gone.has(airable.trackId ?? "")))
    yield* bookings.forget((id) => gone.has(id))
    return true
  })

  return {
    state: Ref.get(state),
    /** Extends, rechecks and repairs: every few seconds, and whenever something may have changed. */
    tick: Effect.gen(function*() {
      let changed = false
      yield* remembering("the state of what is planned", Effect.map(recheck, (gone) => { changed = gone }))
      const fresh = yield* look
      const rundown = yield* Ref.get(state)
      if (yield* options.told) yield* Effect.andThen(bookings.reconcile(rundown), desk.reconcile(rundown))
      const known = new Set([rundown.onAir, ...rundown.items].map((item) => item?.airable.segmentId ?? null))
      const waits = !rundown.held && (yield* shelf.waiting).some((airable) => !known.has(airable.segmentId))
      if (changed || fresh || waits || (yield* desk.isNews(rundown)) || (yield* isShallow)) yield* plan("boundary", fresh ? yield* improved : same)
    }),
    replan,
    begun: (itemId: ItemId, atSample: number) => Effect.gen(function*() {
      const before = yield* Ref.get(state)
      yield* begin(itemId, atSample)
      const after = yield* Ref.get(state)
      if (after.onAir?.id === itemId) yield* shelf.absolve(after.onAir.airable.assetId)
      if (before === after) return
      yield* save(after)
      yield* Effect.andThen(bookings.report(after), desk.report(after))
      if (yield* isShallow) yield* plan("boundary", same)
    }),
    /** From this sample on nothing planned is heard: what was on the air is so no longer. */
    unplanned: (atSample: number) => Ref.update(state, (current) => current.onAir !== null && current.onAir.startSample < atSample ? revised(current, { onAir: null }) : current),
    /** It did not air, and what is left closes up. Where its sound is to blame, whatever has that sound leaves. */
    passedOver: (item: RundownItem, why: string, blamed: boolean) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      const { assetId, segmentId } = item.airable
      // It was taken for begun: a segment among them waits again.
      if (segmentId !== null && !rundown.items.some((one) => one.airable.segmentId === segmentId)) yield* bookings.waitsAgain(segmentId, blamed ? "NOT_STAGED" : "DISPLACED")
      const begun = item.songRequestIds ?? []
      if (!rundown.items.some((one) => one.id === item.id)) yield* desk.displaced(begun)
      yield* Effect.logWarning(`scheduler: ${item.airable.title} is passed over: ${why}`)
      const tries = blamed ? yield* shelf.bar(assetId, msOf((yield* air.status).nowSample)) : 0
      yield* look
      // Nothing waits for the end of what isn't heard. What was only too late is planned again.
      const silenced = (current: Rundown) => current.onAir?.id === item.id ? revised(current, { onAir: null }) : current
      yield* plan("boundary", (current) => (blamed ? leaving((one) => one.airable.assetId === assetId) : same)(silenced(current)))
      if (segmentId !== null && tries >= unairableTriesMax && why !== "disk") yield* bookings.giveUp(segmentId, "AUDIO_LOST")
    }),
    /** A repaired disk makes its sounds airable again. */
    forgive: Effect.flatMap(air.status, ({ nowSample }) => shelf.forgive(msOf(nowSample))),
    enqueue: (segmentId: SegmentId) => Effect.map(replan, (next) => next.items.find((item) => item.airable.segmentId === segmentId) ?? null),
    withdraw: (segmentId: SegmentId) => Effect.gen(function*() {
      if (!(yield* Ref.get(state)).items.some((item) => item.airable.segmentId === segmentId)) return false
      yield* bookings.forget((id) => id === segmentId)
      yield* shelf.withdraw(segmentId)
      yield* plan("boundary", leaving((item) => item.airable.segmentId === segmentId))
      return true
    }),
    skip: (itemId: ItemId | null) => Effect.gen(function*() {
      yield* settle
      const rundown = yield* Ref.get(state)
      const meant = rundown.onAir?.id ?? null
      if (itemId !== null && (meant !== itemId || (yield* Ref.get(skipped)) === itemId)) return rundown
      yield* Ref.set(skipped, meant)
      return yield* plan("now", same)
    }),
    hold: (held: boolean) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      return rundown.held === held ? rundown : yield* plan("boundary", (current) => revised(current, { held }))
    }),
    emergency: (on: boolean, why: string) => Effect.gen(function*() {
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
    /** An operator puts it before the rest, whatever the rules for requests say. */
    promote: (id: ItemId, requestId: SongRequestId, airable: Airable) => Effect.gen(function*() {
      const rundown = yield* Effect.andThen(settle, Ref.get(state))
      const isIts = (item: RundownItem) => item.songRequestIds?.includes(requestId) === true
      if (has(rundown, id) || (rundown.onAir !== null && isIts(rundown.onAir))) return rundown
      const planned = rundown.items.find(isIts)
      const trace = "put first by an operator"
      const item = planned === undefined
        ? new RundownItem({ id, airable, placement: { _tag: "Flow" }, startSample: 0, locked: true, trace: [trace], songRequestIds: yield* desk.groupOf(requestId) })
        : new RundownItem({ ...planned, locked: true, trace: [...planned.trace, trace] })
      return yield* plan("boundary", (current) => put(current, item, null))
    }),
    /** When what has no place yet would come. */
    forecasts: desk.forecasts,
    /** Somebody asked for a song, or waits no longer. What the planner knows of already costs a read. */
    requests: Effect.gen(function*() {
      let changed = false
      yield* remembering("the requests", Effect.map(recheck, (gone) => { changed = gone }))
      yield* desk.look(yield* shelf.isGood)
      if (changed || (yield* desk.isNews(yield* Ref.get(state)))) yield* plan("boundary", same)
    }),
    insert: (id: ItemId, airable: Airable, placement: Placement, before: ItemId | null, now: boolean) => Effect.gen(function*() {
      const rundown = yield* Effect.andThen(settle, Ref.get(state))
      if (has(rundown, id)) return rundown
      if (before !== null && !rundown.items.some((item) => item.id === before)) return null
      const startSample = placement._tag === "Hard" || placement._tag === "Soft" ? sampleOf(placement.atMs) : 0
      const item = new RundownItem({ id, airable, placement, startSample, locked: true, trace: ["inserted by an operator"] })
      return yield* plan(now ? "now" : "boundary", (current) => put(elsewhere(airable)(current), item, before))
    }),
    replace: (id: ItemId, by: ItemId, airable: Airable) => Effect.gen(function*() {
      const rundown = yield* Effect.andThen(settle, Ref.get(state))
      if (has(rundown, by)) return rundown
      const old = rundown.items.find((item) => item.id === id)
      if (old === undefined) return null
      const item = new RundownItem({ id: by, airable, placement: old.placement, startSample: old.startSample, locked: true, trace: [`put in place of ${old.airable.title} by an operator`] })
      return yield* plan("boundary", (current) => leaving((one) => one.id === id)(put(elsewhere(airable, id)(current), item, id)))
    }),
    move: (id: ItemId, before: ItemId | null) => Effect.gen(function*() {
      const rundown = yield* Effect.andThen(settle, Ref.get(state))
      const item = rundown.items.find((one) => one.id === id)
      if (item === undefined || id === before || (before !== null && !rundown.items.some((one) => one.id === before))) return null
      return yield* plan("boundary", (current) =>
        current.items.some((one) => one.id === id) ? put(current, new RundownItem({ ...item, locked: true, trace: [...item.trace, "moved by an operator"] }), before) : current)
    }),
    lock: (id: ItemId, locked: boolean) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      if (!rundown.items.some((item) => item.id === id)) return null
      const next = revised(rundown, { items: rundown.items.map((item) => item.id === id ? new RundownItem({ ...item, locked }) : item) })
      yield* save(next)
      yield* Ref.set(state, next)
      return next
    }),
    drop: (id: ItemId) => Effect.gen(function*() {
      if (!(yield* Ref.get(state)).items.some((item) => item.id === id)) return null
      return yield* plan("boundary", leaving((item) => item.id === id))
    })
  }
})

export type Scheduler = Effect.Success<ReturnType<typeof makeScheduler>>
