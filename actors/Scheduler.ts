import { Effect, Ref } from "effect"
import type { AirPlanApplied } from "../schema/Air.ts"
import type { ItemId, SegmentId } from "../schema/Ids.ts"
import { type Airable, type FenceLost, type Placement, type Play, type Rundown, RundownItem } from "../schema/Rundown.ts"
import { playsRememberedMax, queuedForAirMax, rotationCandidatesMax, rundownAheadSec, rundownItemsMin, schedulerTickMs } from "../engine/Limits.ts"
import { Air } from "../engine/ports/Air.ts"
import { compose, playOf, type Pool } from "../engine/rules/Planner.ts"
import { defaultRotation } from "../engine/rules/Rotation.ts"
import { defaultGrid } from "../engine/rules/Grid.ts"
import { begun, emptyRundown, horizonOf, isDeep, placed, revised, shifted } from "../engine/rules/Rundown.ts"
import { msOf, msToSamples, sampleOf } from "../engine/rules/Timing.ts"
import { AirableSegments } from "../engine/store/AirableSegments.ts"
import { AsRun } from "../engine/store/AsRun.ts"
import { HousePieces } from "../engine/store/HousePieces.ts"
import { Rundowns } from "../engine/store/Rundowns.ts"
import { Tracks } from "../engine/store/Tracks.ts"

export interface SchedulerOptions {
  readonly stationId: string
  readonly fence: number
  readonly zone: string
  readonly seed: number
  /** What the mixer was told last: of these, what lies behind it has begun. */
  readonly sent: Effect.Effect<ReadonlySet<ItemId>>
  /** Hands the rundown to whoever puts it on the air, and learns by how much it was moved. */
  readonly transmit: (rundown: Rundown, entry: "boundary" | "now") => Effect.Effect<Pick<AirPlanApplied, "shiftSamples">, FenceLost>
}

const emptyPool: Pool = { music: [], idents: [], hourCalls: [], fillers: [], beds: [] }

/**
 * Decides what airs next; nobody else writes the rundown. Its steps are performed one at a time, in one mailbox.
 * What it knows of the library it remembers, so that a database that is away for a while stops no programme.
 */
export const makeScheduler = Effect.fnUntraced(function*(options: SchedulerOptions) {
  const { fence, stationId, transmit, zone } = options
  const air = yield* Air
  const asRun = yield* AsRun
  const pieces = yield* HousePieces
  const rundowns = yield* Rundowns
  const segments = yield* AirableSegments
  const tracks = yield* Tracks
  const rules = defaultRotation(options.seed)

  const saved = yield* rundowns.load(stationId)
  // What was on the air when the former incarnation ended is closed by the transmitter; it isn't on the air now.
  // What the log knows was heard, even if the rundown could not be saved any more when it began.
  const heard = saved === null ? new Set<string>() : yield* asRun.logged(stationId, saved.items.map((item) => item.id))
  const state = yield* Ref.make(saved === null ? emptyRundown(stationId)
    : revised(saved, { onAir: null, items: saved.items.filter((item) => !heard.has(item.id)) }))
  yield* segments.reclaim((yield* Ref.get(state)).items.flatMap((item) => item.airable.segmentId ?? []), fence)
  const plays = yield* Ref.make<ReadonlyArray<Play>>(yield* asRun.plays(stationId, playsRememberedMax))
  const pool = yield* Ref.make(emptyPool)
  const queue = yield* Ref.make<ReadonlyArray<Airable>>([])
  /** What the store was told about each segment; told again until it took it. */
  const scheduled = yield* Ref.make<ReadonlyMap<SegmentId, number>>(new Map())
  const skipped = yield* Ref.make<ItemId | null>(null)
  const unairable = yield* Ref.make<ReadonlySet<string>>(new Set())

  /** A store that doesn't answer leaves what is remembered; the next tick asks again. */
  const remembering = <A>(what: string, read: Effect.Effect<A>): Effect.Effect<boolean> =>
    read.pipe(Effect.as(true), Effect.catchCause((cause) => Effect.as(Effect.logWarning(`scheduler: ${what} is not available`, cause), false)))

  const look = Effect.gen(function*() {
    // The station's own time, not the machine's: a wall clock that is set moves no programme.
    const now = msOf((yield* air.status).renderedTo)
    return yield* remembering("the library", Effect.gen(function*() {
      const [music, idents, calls, fillers, beds, waiting] = yield* Effect.all([
        tracks.rested(Object.keys(rules.shares), rotationCandidatesMax),
        pieces.byRole("ident"), pieces.byRole("hour_call"), pieces.byRole("filler"), pieces.byRole("bed"),
        segments.queuedForAir(now, queuedForAirMax)
      ])
      const bad = yield* Ref.get(unairable)
      const good = (airable: Airable) => !bad.has(airable.assetId)
      yield* Ref.set(pool, {
        music: music.filter(({ airable }) => good(airable)),
        idents: idents.map(({ airable }) => airable).filter(good),
        hourCalls: calls.flatMap(({ airable, hour }) => hour === null || !good(airable) ? [] : [{ hour, airable }]),
        fillers: fillers.map(({ airable }) => airable).filter(good),
        beds: beds.map(({ airable }) => airable).filter(good)
      })
      yield* Ref.set(queue, waiting.filter(good))
    }))
  })

  const report = Effect.fnUntraced(function*(next: Rundown) {
    const told = yield* Ref.get(scheduled)
    const placedNow = new Map(next.items.flatMap((item) =>
      item.airable.segmentId === null ? [] : [[item.airable.segmentId, msOf(item.startSample)] as const]))
    const onAir = next.onAir?.airable.segmentId ?? null
    for (const [id, at] of placedNow) {
      const before = told.get(id)
      if (before !== undefined && Math.abs(before - at) < schedulerTickMs) continue
      if (yield* remembering("the queue", segments.markScheduled(id, at, fence))) yield* Ref.update(scheduled, (known) => new Map(known).set(id, at))
    }
    for (const id of told.keys()) {
      if (placedNow.has(id)) continue
      if (id === onAir || (yield* remembering("the queue", segments.markQueued(id, "DISPLACED", fence)))) {
        yield* Ref.update(scheduled, (known) => new Map([...known].filter(([other]) => other !== id)))
      }
    }
  })

  const save = (next: Rundown): Effect.Effect<void, FenceLost> =>
    rundowns.save(next, fence).pipe(Effect.catchDefect((defect) => Effect.logWarning("scheduler: the rundown could not be saved", defect)))

  const begin = Effect.fnUntraced(function*(itemId: ItemId, atSample: number) {
    const { passedOver, rundown } = begun(yield* Ref.get(state), itemId, atSample)
    if (rundown.onAir?.id !== itemId) return
    yield* Ref.set(state, rundown)
    yield* Ref.update(plays, (known) => [...known, playOf(rundown.onAir!)].slice(-playsRememberedMax))
    for (const item of passedOver) yield* Effect.logWarning(`scheduler: ${item.airable.title} was passed over`)
  })

  /** What was sent and lies behind the mixer has begun, even if the news of that are still on their way. */
  const settle = Effect.gen(function*() {
    const status = yield* air.status
    const sent = yield* options.sent
    for (const item of (yield* Ref.get(state)).items) {
      if (item.startSample < status.renderedTo && sent.has(item.id)) yield* begin(item.id, item.startSample)
    }
    return status
  })

  /** Plans anew from where planning may begin, saves, remembers, and puts it on the air. */
  const plan = Effect.fnUntraced(function*(from: "boundary" | "now", change: (rundown: Rundown) => Rundown) {
    const { renderedTo } = yield* settle
    const current = change(yield* Ref.get(state))
    const { cursor, frozen, open } = horizonOf(current, renderedTo, from)
    const taken = new Set([current.onAir, ...current.items].map((item) => item?.airable.segmentId ?? null))
    const { items, turn } = current.emergency ? { items: open, turn: current.turn } : compose({
      nowMs: msOf(renderedTo), zone, grid: defaultGrid, rules, turn: current.turn, cursor, kept: open, held: current.held, pool: yield* Ref.get(pool),
      queued: (yield* Ref.get(queue)).filter((airable) => !taken.has(airable.segmentId)),
      plays: [...yield* Ref.get(plays), ...frozen.map(playOf)].slice(-playsRememberedMax),
      untilSample: renderedTo + msToSamples(rundownAheadSec * 1_000 + 60_000), itemsMin: rundownItemsMin + 1
    })
    let next = revised(current, { items: [...frozen, ...items], turn })
    yield* save(next)
    yield* Ref.set(state, next)
    const { shiftSamples } = yield* transmit(next, from)
    if (shiftSamples !== 0) {
      next = shifted(next, shiftSamples)
      yield* save(next)
      yield* Ref.set(state, next)
    }
    yield* report(next)
    return next
  })

  const replan = Effect.andThen(look, plan("boundary", (rundown) => rundown))
  const leaving = (gone: (item: RundownItem) => boolean) => (rundown: Rundown) =>
    revised(rundown, { items: rundown.items.filter((item) => !gone(item)) })

  /** What was planned may have become impossible since: held, withdrawn, retired. */
  const recheck = Effect.gen(function*() {
    const { items } = yield* Ref.get(state)
    const ids = items.flatMap((item) => item.airable.segmentId ?? [])
    const songs = items.flatMap((item) => item.airable.trackId ?? [])
    const gone = new Set<string>([...yield* segments.refused(ids), ...yield* tracks.refused(songs)])
    if (gone.size === 0) return false
    yield* Ref.update(state, leaving(({ airable }) => gone.has(airable.segmentId ?? "") || gone.has(airable.trackId ?? "")))
    yield* Ref.update(scheduled, (known) => new Map([...known].filter(([id]) => !gone.has(id))))
    return true
  })

  return {
    state: Ref.get(state),
    /** Extends, rechecks and repairs: every few seconds, and whenever something may have changed. */
    tick: Effect.gen(function*() {
      let changed = false
      yield* remembering("the state of what is planned", Effect.map(recheck, (gone) => { changed = gone }))
      yield* look
      const rundown = yield* Ref.get(state)
      const { renderedTo } = yield* air.status
      const known = new Set([rundown.onAir, ...rundown.items].map((item) => item?.airable.segmentId ?? null))
      const waits = !rundown.held && (yield* Ref.get(queue)).some((airable) => !known.has(airable.segmentId))
      if (changed || waits || (!rundown.emergency && !isDeep(rundown, renderedTo))) yield* plan("boundary", (same) => same)
    }),
    replan,
    begun: (itemId: ItemId, atSample: number) => Effect.gen(function*() {
      const before = yield* Ref.get(state)
      yield* begin(itemId, atSample)
      const after = yield* Ref.get(state)
      if (before === after) return
      yield* save(after)
      yield* report(after)
    }),
    /** Its sound isn't there: it leaves, and what is left closes up. */
    unstaged: (item: RundownItem, why: string) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      // It was taken for begun: a segment among them waits again.
      const { segmentId } = item.airable
      if (segmentId !== null && !rundown.items.some((one) => one.airable.segmentId === segmentId)) {
        yield* remembering("the queue", segments.markQueued(segmentId, "NOT_STAGED", fence))
      }
      yield* Effect.logWarning(`scheduler: ${item.airable.title} is passed over: ${why}`)
      yield* Ref.update(unairable, (known) => new Set(known).add(item.airable.assetId))
      yield* look
      yield* plan("boundary", leaving((one) => one.airable.assetId === item.airable.assetId))
    }),
    /** A repaired disk makes its sounds airable again. */
    forgive: Ref.set(unairable, new Set<string>()),
    enqueue: (segmentId: SegmentId) => Effect.map(replan, (next) => next.items.find((item) => item.airable.segmentId === segmentId) ?? null),
    withdraw: (segmentId: SegmentId) => Effect.gen(function*() {
      if (!(yield* Ref.get(state)).items.some((item) => item.airable.segmentId === segmentId)) return false
      yield* Ref.update(scheduled, (known) => new Map([...known].filter(([id]) => id !== segmentId)))
      yield* Ref.update(queue, (waiting) => waiting.filter((airable) => airable.segmentId !== segmentId))
      yield* plan("boundary", leaving((item) => item.airable.segmentId === segmentId))
      return true
    }),
    skip: (itemId: ItemId | null) => Effect.gen(function*() {
      yield* settle
      const rundown = yield* Ref.get(state)
      const meant = rundown.onAir?.id ?? null
      if (itemId !== null && (meant !== itemId || (yield* Ref.get(skipped)) === itemId)) return rundown
      yield* Ref.set(skipped, meant)
      return yield* plan("now", (same) => same)
    }),
    hold: (held: boolean) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      return rundown.held === held ? rundown : yield* plan("boundary", (same) => revised(same, { held }))
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
      const next = rundown.emergency ? yield* plan("now", (same) => revised(same, { emergency: false })) : rundown
      yield* air.emergency(false, why)
      return next
    }),
    insert: (id: ItemId, airable: Airable, placement: Placement, before: ItemId | null, now: boolean) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      if (rundown.onAir?.id === id || rundown.items.some((item) => item.id === id)) return rundown
      const startSample = placement._tag === "Hard" || placement._tag === "Soft" ? sampleOf(placement.atMs) : 0
      const item = new RundownItem({ id, airable, placement, startSample, locked: true, trace: ["inserted by an operator"] })
      // A segment airs once: where it was planned, it leaves.
      const others = leaving((one) => airable.segmentId !== null && one.airable.segmentId === airable.segmentId)(rundown)
      const next = placed(others, item, before)
      return next === null ? null : yield* plan(now ? "now" : "boundary", () => next)
    }),
    replace: (id: ItemId, by: ItemId, airable: Airable) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      if (rundown.onAir?.id === by || rundown.items.some((item) => item.id === by)) return rundown
      const old = rundown.items.find((item) => item.id === id)
      if (old === undefined) return null
      const item = new RundownItem({ id: by, airable, placement: old.placement, startSample: old.startSample, locked: true, trace: [`put in place of ${old.airable.title} by an operator`] })
      return yield* plan("boundary", (current) => revised(current, { items: current.items.map((one) => one.id === id ? item : one) }))
    }),
    move: (id: ItemId, before: ItemId | null) => Effect.gen(function*() {
      const rundown = yield* Ref.get(state)
      const item = rundown.items.find((one) => one.id === id)
      const next = item === undefined || id === before ? null
        : placed(rundown, new RundownItem({ ...item, locked: true, trace: [...item.trace, "moved by an operator"] }), before)
      return next === null ? null : yield* plan("boundary", () => next)
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
