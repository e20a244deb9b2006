import { Clock, Effect, Ref } from "effect"
import { airingsOf } from "../../engine/rules/air/Airing.ts"
import { schedulerTickMs } from "../../engine/rules/air/limits.ts"
import type { Plan } from "../../engine/rules/air/Planner.ts"
import { revise } from "../../engine/rules/air/Rundown.ts"
import { AiringsWriter } from "../../engine/store/air/Airings.ts"
import type { ItemId, SegmentId } from "../../schema/Ids.ts"
import type { Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import { msOf } from "../../schema/time/Samples.ts"
import { makeAnnouncementFeed } from "./AnnouncementFeed.ts"
import { makeCandidatePool, hasSucceeded } from "./CandidatePool.ts"
import { makePlanFeed } from "./PlanFeed.ts"
import { makeRequestFeed } from "./RequestFeed.ts"

interface Place {
  readonly itemId: ItemId
  readonly atMs: number
}
const airingsIn = (rundown: Rundown): ReadonlyArray<string> =>
  [...(rundown.onAir === null ? [] : [rundown.onAir]), ...rundown.items].flatMap(airingsOf)

/**
 * All candidates for air: library, queue, plans, topics and song requests. Reports the places in the rundown to the store and retries until
 * it accepts them.
 */
export const makeCandidateFeed = Effect.fnUntraced(function* (options: {
  readonly fence: number
  readonly zone: string
  readonly classes: ReadonlyArray<string>
}) {
  const { fence } = options
  const airings = yield* AiringsWriter
  const library = yield* makeCandidatePool(options.classes)
  const announcements = yield* makeAnnouncementFeed(fence)
  const plans = yield* makePlanFeed(options)
  const told = yield* Ref.make<ReadonlyMap<string, Place>>(new Map())
  const requests = yield* makeRequestFeed(Effect.map(Ref.get(told), (known) => (id) => known.has(id)))
  const kept = yield* Ref.make<ReadonlyArray<string>>([])
  const now = Clock.currentTimeMillis

  const forget = (gone: (id: string) => boolean) =>
    Ref.update(told, (known) => new Map([...known].filter(([id]) => !gone(id))))
  const displace = (ids: ReadonlyArray<string>, reason: string) =>
    ids.length === 0
      ? Effect.succeed(true)
      : hasSucceeded(
          "the queue",
          Effect.flatMap(now, (atMs) => airings.move(ids, { _tag: "Displace", reason, atMs }, fence))
        )

  const look = Effect.fnUntraced(function* (nowMs: number) {
    const fresh = yield* library.look(nowMs)
    const isGood = yield* library.isGood
    yield* requests.look(isGood)
    yield* plans.look(nowMs, yield* library.pool, isGood)
    return fresh
  })

  return {
    /** Restores the state after a restart: rundown items keep their places, items in `goOn` are on the air, everything else waits again. */
    begin: Effect.fnUntraced(function* (
      saved: Rundown,
      rundown: Rundown,
      goOn: ReadonlyArray<RundownItem>,
      nowMs: number
    ) {
      const keep = [...new Set([...airingsIn(rundown), ...goOn.flatMap(airingsOf)])]
      yield* Ref.set(kept, keep)
      yield* airings.reclaim(keep, ["placed", "airing"], yield* now, fence)
      yield* announcements.begin(saved, nowMs)
      yield* library.look(nowMs)
      yield* plans.begin(saved, nowMs, yield* library.pool)
    }),
    /** Reads all sources. True when the library has new sounds. */
    look,
    lookAtRequests: Effect.flatMap(library.isGood, requests.look),
    /** Candidates for this rundown, apart from `held`. */
    candidates: Effect.fnUntraced(function* (
      rundown: Rundown,
      frozen: ReadonlyArray<RundownItem>,
      held: ReadonlyArray<RundownItem>
    ) {
      const taken = new Set<string | null>([
        ...(yield* library.begun),
        ...[rundown.onAir, ...rundown.items, ...held].map((item) => item?.airable.segmentId ?? null)
      ])
      return {
        week: yield* plans.week,
        pool: { ...(yield* library.pool), announcements: yield* announcements.candidates },
        queued: (yield* library.waiting).filter((airable) => !taken.has(airable.segmentId)),
        requested: yield* requests.open(rundown),
        programmes: yield* plans.listDue(rundown, frozen),
        topics: (yield* plans.talks).map((talk) => ({
          ...talk,
          airables: talk.airables.filter(({ segmentId }) => !taken.has(segmentId))
        }))
      }
    }),
    hasMusic: Effect.map(library.pool, ({ music }) => music.length > 0),
    hasBegun: library.hasBegun,
    isKnownPlan: plans.isKnown,
    /** True when there are candidates the planner hasn't seen. */
    isNews: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number) {
      if ((yield* requests.isNews(rundown)) || (yield* plans.isNews(rundown, nowMs))) return true
      if (yield* announcements.isNews(rundown)) return true
      const known = new Set<string | null>([
        ...(yield* library.begun),
        ...[rundown.onAir, ...rundown.items, ...(rundown.heldItems ?? [])].map(
          (item) => item?.airable.segmentId ?? null
        )
      ])
      return (
        !rundown.held &&
        (yield* library.waiting).some((airable) => airable.showId === undefined && !known.has(airable.segmentId))
      )
    }),
    isRequestNews: requests.isNews,
    /** The rundown without items that may no longer air or are no longer requested. Null when there are none. */
    removeGone: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number) {
      yield* announcements.look(nowMs)
      const wanted = yield* requests.removeGone(rundown)
      const items = wanted?.items ?? rundown.items
      const refused = yield* library.findRefused(items)
      const untrue = yield* announcements.refused(items)
      if (wanted === null && refused.size === 0 && untrue.size === 0) return null
      yield* forget((id) => refused.has(id) || wanted?.gone.has(id) === true)
      return revise(rundown, {
        items: items.filter(
          ({ airable, id }) =>
            !untrue.has(id) && !refused.has(airable.segmentId ?? "") && !refused.has(airable.trackId ?? "")
        )
      })
    }),
    markBegun: Effect.fnUntraced(function* (item: RundownItem) {
      if (item.airable.segmentId !== null) yield* library.begin(item.airable.segmentId)
      yield* announcements.begun(item)
      yield* plans.markBegun(item)
      // It may end before its place is reported again; the as-run log reports the outcome.
      yield* forget((id) => airingsOf(item).includes(id))
    }),
    /** Reports places and running plans to the store. */
    report: Effect.fnUntraced(function* (rundown: Rundown) {
      const before = yield* Ref.get(told)
      for (const item of rundown.items) {
        const ids = airingsOf(item)
        const place = { itemId: item.id, atMs: msOf(item.startSample) }
        const isNew = ids.some((id) => {
          const known = before.get(id)
          return known?.itemId !== place.itemId || Math.abs(known.atMs - place.atMs) >= schedulerTickMs
        })
        if (!isNew) continue
        const event = { _tag: "Place", placement: item.id, expectedAtMs: place.atMs } as const
        if (
          yield* hasSucceeded(
            "the queue",
            Effect.flatMap(now, (atMs) => airings.move(ids, { ...event, atMs }, fence))
          )
        )
          yield* Ref.update(told, (known) => new Map([...known, ...ids.map((id) => [id, place] as const)]))
      }
      const placed = new Set(rundown.items.flatMap(airingsOf))
      const left = [...before.keys()].filter((id) => !placed.has(id))
      const onAir = rundown.onAir === null ? [] : airingsOf(rundown.onAir)
      const lost = left.filter((id) => !onAir.includes(id))
      if (yield* displace(lost, "DISPLACED")) yield* forget((id) => left.includes(id))
    }),
    reportPlans: (rundown: Rundown, nowMs: number, left: Plan["left"]) => plans.report(rundown, nowMs, left),
    /** Returns items to the queue that were assumed to have begun and were never heard. Waits one tick for late events. */
    reconcile: Effect.fnUntraced(function* (rundown: Rundown, nowMs: number) {
      const placed = airingsIn(rundown)
      const keep = [...new Set([...(yield* Ref.getAndSet(kept, placed)), ...placed])]
      if (
        yield* hasSucceeded(
          "the queue",
          Effect.flatMap(now, (atMs) => airings.reclaim(keep, ["placed"], atMs, fence))
        )
      )
        yield* library.settle((id) => !keep.includes(id))
      yield* plans.reconcile(rundown, nowMs)
    }),
    /** Returns a skipped item to the queue unless it has another place. */
    displace: Effect.fnUntraced(function* (rundown: Rundown, item: RundownItem, why: string, blamed: boolean) {
      const placed = rundown.items.flatMap(airingsOf)
      const lost = airingsOf(item).filter((id) => !placed.includes(id))
      if (yield* displace(lost, blamed ? "NOT_STAGED" : "DISPLACED")) yield* library.settle((id) => lost.includes(id))
      if (!rundown.items.some(({ id }) => id === item.id)) yield* plans.displace(item, why, blamed)
    }),
    withdraw: (segmentId: SegmentId) =>
      Effect.andThen(
        forget((id) => id === segmentId),
        library.withdraw(segmentId)
      ),
    withdrawTrack: library.withdrawTrack,
    /** Gives up a segment whose audio stayed unavailable. */
    giveUp: (id: SegmentId, reason: string) =>
      hasSucceeded(
        "the queue",
        Effect.flatMap(now, (atMs) => airings.move([id], { _tag: "GiveUp", reason, atMs }, fence))
      ),
    bar: library.bar,
    forgive: library.forgive,
    absolve: library.absolve,
    note: plans.note,
    silence: announcements.silence,
    interrupted: announcements.interrupted,
    groupOf: requests.groupOf,
    foresee: requests.foresee,
    forecasts: requests.forecasts
  }
})
