import { Clock, Effect, Ref } from "effect"
import {
  schedulerTickMs,
  songForecastItemsMax,
  songRequestHours,
  songRequestsAtOnceMax
} from "../../engine/rules/air/limits.ts"
import { compose, type PlanAsk, playOf } from "../../engine/rules/air/Planner.ts"
import { admissionRefusal, isRotation, type Requested } from "../../engine/rules/air/RequestAdmission.ts"
import { msOf, msToSamples } from "../../schema/time/Samples.ts"
import { RequestsForAir } from "../../engine/store/air/RequestsForAir.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { ItemId, SongRequestId } from "../../schema/Ids.ts"
import { type Airable, type Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import type { Forecast } from "../../schema/music/SongRequest.ts"
import { remembering } from "./CandidatePool.ts"

interface Place {
  readonly itemId: ItemId
  readonly atMs: number
}
const idsIn = (items: ReadonlyArray<RundownItem | null>): ReadonlyArray<SongRequestId> =>
  items.flatMap((item) => item?.songRequestIds ?? [])
/** What listeners asked for, as the scheduler has it: what waits, what has a place, and when the rest would come. */
export const makeRequestFeed = Effect.fnUntraced(function* (fence: number) {
  const requests = yield* RequestsForAir
  const tracks = yield* Tracks
  const waiting = yield* Ref.make<ReadonlyArray<Requested>>([])
  const told = yield* Ref.make<ReadonlyMap<SongRequestId, Place>>(new Map())
  const kept = yield* Ref.make<ReadonlyArray<SongRequestId>>([])
  const forecasts = yield* Ref.make<ReadonlyMap<SongRequestId, Forecast>>(new Map())
  const now = Clock.currentTimeMillis
  const forget = (gone: ReadonlyArray<SongRequestId>) =>
    Ref.update(told, (known) => new Map([...known].filter(([id]) => !gone.includes(id))))
  const displaced = (ids: ReadonlyArray<SongRequestId>) =>
    ids.length === 0
      ? Effect.succeed(true)
      : remembering(
          "the requests",
          Effect.flatMap(now, (nowMs) => requests.markDisplaced(ids, nowMs, fence))
        )
  /** Of what waits, what has no place in this rundown. What has just lost one waits for the next look, as a segment does. */
  const open = (rundown: Rundown) =>
    Effect.zipWith(Ref.get(waiting), Ref.get(told), (all, known) => {
      const placed = new Set([...idsIn([rundown.onAir, ...rundown.items]), ...known.keys()])
      return all
        .map((each) => ({ ...each, songRequestIds: each.songRequestIds.filter((id) => !placed.has(id)) }))
        .filter(({ songRequestIds }) => songRequestIds.length > 0)
    })
  return {
    /** What stood in the rundown is all that has a place: after a restart everything else waits again. */
    begin: (rundown: Rundown, goOn: ReadonlyArray<RundownItem>) => {
      const keep = [...new Set(idsIn([rundown.onAir, ...goOn, ...rundown.items]))]
      return Effect.andThen(
        Ref.set(kept, keep),
        remembering(
          "the requests",
          Effect.flatMap(now, (nowMs) => requests.reclaim(keep, nowMs, fence))
        )
      )
    },
    /** Reads what waits. */
    look: (isGood: (airable: Airable) => boolean) =>
      remembering(
        "the requests",
        Effect.gen(function* () {
          const songs = yield* requests.waiting(songRequestsAtOnceMax)
          const airables = songs.length === 0 ? [] : yield* tracks.airables(songs.map(({ trackId }) => trackId))
          yield* Ref.set(
            waiting,
            songs.flatMap(({ songRequestIds, trackId }) => {
              const airable = airables.find((each) => each.trackId === trackId)
              return airable === undefined || !isGood(airable) ? [] : [{ songRequestIds, airable }]
            })
          )
        })
      ),
    open,
    /** Whether there is something the planner hasn't been asked about. */
    isNews: (rundown: Rundown) =>
      Effect.zipWith(open(rundown), Ref.get(forecasts), (all, known) =>
        all.some(({ songRequestIds }) => songRequestIds.some((id) => !known.has(id)))
      ),
    /** Everybody who waits for the song that somebody asked for. */
    groupOf: (id: SongRequestId) =>
      Effect.map(
        Ref.get(waiting),
        (all) => all.find(({ songRequestIds }) => songRequestIds.includes(id))?.songRequestIds ?? [id]
      ),
    /** The rundown without those who wait no longer: what was planned for nobody else leaves it, unless somebody fixed its place. */
    without: Effect.fnUntraced(function* (rundown: Rundown) {
      const gone = new Set(yield* requests.gone(idsIn(rundown.items)))
      if (gone.size === 0) return null
      yield* forget([...gone])
      return rundown.items.flatMap((item) => {
        const left = item.songRequestIds?.filter((id) => !gone.has(id)) ?? []
        if (left.length === (item.songRequestIds?.length ?? 0)) return [item]
        const { songRequestIds: _, ...rest } = item
        return left.length > 0
          ? [new RundownItem({ ...rest, songRequestIds: left })]
          : item.locked
            ? [new RundownItem(rest)]
            : []
      })
    }),
    /** Tells the store which requests have a place, again and again until it took it. */
    report: Effect.fnUntraced(function* (rundown: Rundown) {
      const known = yield* Ref.get(told)
      for (const { id: itemId, songRequestIds = [], startSample } of rundown.items) {
        const atMs = msOf(startSample)
        const isNew = songRequestIds.some(
          (id) => known.get(id)?.itemId !== itemId || Math.abs(known.get(id)!.atMs - atMs) >= schedulerTickMs
        )
        if (
          isNew &&
          (yield* remembering(
            "the requests",
            Effect.flatMap(now, (nowMs) => requests.markScheduled(songRequestIds, { itemId, atMs }, nowMs, fence))
          ))
        ) {
          yield* Ref.update(
            told,
            (all) => new Map([...all, ...songRequestIds.map((id) => [id, { itemId, atMs }] as const)])
          )
        }
      }
      const placed = new Set(idsIn(rundown.items))
      const left = [...known.keys()].filter((id) => !placed.has(id))
      const lost = left.filter((id) => !idsIn([rundown.onAir]).includes(id))
      if (yield* displaced(lost)) yield* forget(left)
    }),
    /** Taken for begun, and then not heard. */
    displaced,
    /** What the store takes for scheduled and has no place waits again. News are given a tick to arrive. */
    reconcile: Effect.fnUntraced(function* (rundown: Rundown) {
      const placed = idsIn([rundown.onAir, ...rundown.items])
      const before = yield* Ref.getAndSet(kept, placed)
      yield* remembering(
        "the requests",
        Effect.flatMap(now, (nowMs) => requests.reclaim([...new Set([...before, ...placed])], nowMs, fence))
      )
    }),
    /** Asks the planner for the hours behind the rundown when the others would come. While nothing planned is heard, nobody knows. */
    foresee: Effect.fnUntraced(function* (rundown: Rundown, ask: PlanAsk, emergency: boolean) {
      const placed = new Set(idsIn(rundown.items))
      const left = (ask.requested ?? []).filter(({ songRequestIds }) => !songRequestIds.some((id) => placed.has(id)))
      const ids = (each: Requested, forecast: Forecast) => each.songRequestIds.map((id) => [id, forecast] as const)
      if (left.length === 0 || emergency || rundown.held)
        return yield* Ref.set(forecasts, new Map(left.flatMap((each) => ids(each, { playAtMs: null, reason: null }))))
      const settled = [
        ...ask.plays,
        ...ask.kept.filter((item) => item.airable.role === "music" && !isRotation(item)).map(playOf)
      ]
      const { items } = compose({
        ...ask,
        requested: left,
        untilSample: ask.cursor.atSample + msToSamples(songRequestHours * 3_600_000),
        itemsMin: 0,
        itemsMax: songForecastItemsMax
      })
      yield* Ref.set(
        forecasts,
        new Map(
          left.flatMap((each) => {
            const item = items.find(({ songRequestIds = [] }) =>
              each.songRequestIds.some((id) => songRequestIds.includes(id))
            )
            const reason = admissionRefusal(each.airable, ask.nowMs, settled)
            return ids(each, {
              playAtMs: item === undefined ? null : msOf(item.startSample),
              reason: item === undefined ? "queue_full" : (reason ?? "queue_full")
            })
          })
        )
      )
    }),
    forecasts: Ref.get(forecasts)
  }
})
