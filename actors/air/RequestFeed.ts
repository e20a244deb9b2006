import { Effect, Ref } from "effect"
import { songForecastItemsMax, songRequestHours, songRequestsAtOnceMax } from "../../engine/rules/air/limits.ts"
import { compose, type PlanAsk, playOf } from "../../engine/rules/air/Planner.ts"
import { admissionRefusal, isRotation, type Requested } from "../../engine/rules/air/RequestAdmission.ts"
import { msOf, msToSamples } from "../../schema/time/Samples.ts"
import { Airings } from "../../engine/store/air/Airings.ts"
import { Candidates } from "../../engine/store/air/Candidates.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { SongRequestId } from "../../schema/Ids.ts"
import { type Airable, type Rundown, RundownItem } from "../../schema/air/Rundown.ts"
import type { Forecast } from "../../schema/music/SongRequest.ts"
import { hasSucceeded } from "./CandidatePool.ts"

const idsIn = (items: ReadonlyArray<RundownItem | null>): ReadonlyArray<SongRequestId> =>
  items.flatMap((item) => item?.songRequestIds ?? [])
/** Song requests of the scheduler: waiting ones and their forecasts. */
export const makeRequestFeed = Effect.fnUntraced(function* (isPlaced: Effect.Effect<(id: SongRequestId) => boolean>) {
  const airings = yield* Airings
  const candidates = yield* Candidates
  const tracks = yield* Tracks
  const waiting = yield* Ref.make<ReadonlyArray<Requested>>([])
  const forecasts = yield* Ref.make<ReadonlyMap<SongRequestId, Forecast>>(new Map())
  /** Waiting requests without a place in this rundown. One that just lost its place waits for the next read. */
  const open = (rundown: Rundown) =>
    Effect.zipWith(Ref.get(waiting), isPlaced, (all, has) => {
      const placed = new Set(idsIn([rundown.onAir, ...rundown.items]))
      return all
        .map((each) => ({ ...each, songRequestIds: each.songRequestIds.filter((id) => !placed.has(id) && !has(id)) }))
        .filter(({ songRequestIds }) => songRequestIds.length > 0)
    })
  return {
    look: (isGood: (airable: Airable) => boolean) =>
      hasSucceeded(
        "the requests",
        Effect.gen(function* () {
          const songs = yield* candidates.songs(songRequestsAtOnceMax)
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
    /** True when there are requests the planner hasn't seen. */
    isNews: (rundown: Rundown) =>
      Effect.zipWith(open(rundown), Ref.get(forecasts), (all, known) =>
        all.some(({ songRequestIds }) => songRequestIds.some((id) => !known.has(id)))
      ),
    /** All requests for the same song. */
    groupOf: (id: SongRequestId) =>
      Effect.map(
        Ref.get(waiting),
        (all) => all.find(({ songRequestIds }) => songRequestIds.includes(id))?.songRequestIds ?? [id]
      ),
    /** The items without ended requests. An item planned only for them is removed, unless it is locked. Null when nothing changes. */
    removeGone: Effect.fnUntraced(function* (rundown: Rundown) {
      const gone = new Set(yield* airings.listOver(idsIn(rundown.items)))
      if (gone.size === 0) return null
      const items = rundown.items.flatMap((item) => {
        const left = item.songRequestIds?.filter((id) => !gone.has(id)) ?? []
        if (left.length === (item.songRequestIds?.length ?? 0)) return [item]
        const { songRequestIds: _, ...rest } = item
        return left.length > 0
          ? [new RundownItem({ ...rest, songRequestIds: left })]
          : item.locked
            ? [new RundownItem(rest)]
            : []
      })
      return { items, gone }
    }),
    /**
     * Forecasts the times of requests without a place by planning `songRequestHours` beyond the rundown. No forecast while the rundown is
     * held or the emergency programme is on.
     */
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
