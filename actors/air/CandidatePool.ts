import { Effect, Ref } from "effect"
import {
  queuedForAirMax,
  rotationCandidatesMax,
  unairableForgivenMaxMs,
  unairableForgivenMs
} from "../../engine/rules/air/limits.ts"
import type { Pool } from "../../engine/rules/air/Planner.ts"
import { Candidates } from "../../engine/store/air/Candidates.ts"
import { HousePieces } from "../../engine/store/music/HousePieces.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import type { AssetId, SegmentId, TrackId } from "../../schema/Ids.ts"
import type { Airable, RundownItem } from "../../schema/air/Rundown.ts"

const emptyPool: Pool = { music: [], idents: [], hourCalls: [], beds: [] }

const assetsOf = (pool: Pool): ReadonlySet<AssetId> =>
  new Set(
    [...pool.music, ...pool.hourCalls, ...[...pool.idents, ...pool.beds].map((airable) => ({ airable }))].map(
      ({ airable }) => airable.assetId
    )
  )

interface Fault {
  readonly tries: number
  readonly barred: boolean
  readonly untilMs: number
}

/** Runs a store read or write. On failure logs a warning and answers false; the next tick retries. */
export const hasSucceeded = <A>(what: string, ask: Effect.Effect<A>): Effect.Effect<boolean> =>
  ask.pipe(
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`scheduler: ${what} is not available`, cause), false))
  )

/** The library and the queue as last read, so a store outage doesn't stop the programme. */
export const makeCandidatePool = Effect.fnUntraced(function* (classes: ReadonlyArray<string>) {
  const pieces = yield* HousePieces
  const candidates = yield* Candidates
  const tracks = yield* Tracks
  const pool = yield* Ref.make(emptyPool)
  const waiting = yield* Ref.make<ReadonlyArray<Airable>>([])
  /** Segments whose sound began, and whether the store has decided since that they wait again. */
  const begun = yield* Ref.make<ReadonlyMap<string, boolean>>(new Map())
  const faults = yield* Ref.make<ReadonlyMap<AssetId, Fault>>(new Map())
  return {
    pool: Ref.get(pool),
    /** True unless the sound is known to be unavailable. */
    isGood: Effect.map(Ref.get(faults), (bad) => (airable: Airable) => bad.get(airable.assetId)?.barred !== true),
    /** Queued segments in order of arrival. */
    waiting: Ref.get(waiting),
    /** Segments whose sound began, although the queue as last read may still name them. They must not get another place. */
    begun: Effect.map(Ref.get(begun), (all) => [...all.keys()]),
    /** Its sound began, and the store has not decided yet what becomes of it. */
    hasBegun: (segmentId: string) => Effect.map(Ref.get(begun), (all) => all.get(segmentId) === false),
    begin: (segmentId: string) => Ref.update(begun, (all) => new Map(all).set(segmentId, false)),
    /** The store has decided what becomes of these: the next read of the queue is right about them. */
    settle: (isSettled: (segmentId: string) => boolean) =>
      Ref.update(begun, (all) => new Map([...all].map(([id, waits]) => [id, waits || isSettled(id)] as const))),
    /** Reads library and queue. True when the library has new sounds. */
    look: Effect.fnUntraced(function* (nowMs: number) {
      const before = assetsOf(yield* Ref.get(pool))
      yield* hasSucceeded(
        "the library",
        Effect.gen(function* () {
          const [music, idents, calls, beds, queued] = yield* Effect.all([
            tracks.listRested(classes, rotationCandidatesMax, nowMs),
            pieces.listByRole("ident"),
            pieces.listByRole("hour_call"),
            pieces.listByRole("bed"),
            candidates.listQueued(nowMs, queuedForAirMax)
          ])
          const bad = yield* Ref.get(faults)
          const isGood = (airable: Airable) => bad.get(airable.assetId)?.barred !== true
          yield* Ref.set(pool, {
            music: music.filter(({ airable }) => isGood(airable)),
            idents: idents.map(({ airable }) => airable).filter(isGood),
            hourCalls: calls.flatMap(({ airable, hour }) =>
              hour === null || !isGood(airable) ? [] : [{ hour, airable }]
            ),
            beds: beds.map(({ airable }) => airable).filter(isGood)
          })
          yield* Ref.set(waiting, queued.filter(isGood))
          const listed = new Set<string | null>(queued.map(({ segmentId }) => segmentId))
          yield* Ref.update(begun, (all) => new Map([...all].filter(([id, waits]) => !waits && listed.has(id))))
        })
      )
      return [...assetsOf(yield* Ref.get(pool))].some((id) => !before.has(id))
    }),
    /** Ids of the segments and tracks among these items that may no longer air: held, withdrawn, retired. */
    findRefused: Effect.fnUntraced(function* (items: ReadonlyArray<RundownItem>) {
      const spoken = yield* candidates.findRefused(items.flatMap((item) => item.airable.segmentId ?? []))
      return new Set<string>([
        ...spoken,
        ...(yield* tracks.findRefused(items.flatMap((item) => item.airable.trackId ?? [])))
      ])
    }),
    withdraw: (segmentId: SegmentId) =>
      Ref.update(waiting, (all) => all.filter((airable) => airable.segmentId !== segmentId)),
    /** Until the next read of the library. */
    withdrawTrack: (trackId: TrackId) =>
      Ref.update(pool, (known) => ({
        ...known,
        music: known.music.filter(({ airable }) => airable.trackId !== trackId)
      })),
    /** Bars a sound that is unavailable until `forgive`, for twice as long each time. Answers how often it was barred. */
    bar: (id: AssetId, nowMs: number) =>
      Ref.modify(faults, (all) => {
        const tries = (all.get(id)?.tries ?? 0) + 1
        const restMs = Math.min(unairableForgivenMaxMs, unairableForgivenMs * 2 ** (tries - 1))
        return [tries, new Map(all).set(id, { tries, barred: true, untilMs: nowMs + restMs })]
      }),
    /** Lifts the bars whose time is over, because a disk may have been repaired. */
    forgive: (nowMs: number) =>
      Ref.update(
        faults,
        (all) =>
          new Map(
            [...all].map(([id, fault]) => [id, fault.untilMs <= nowMs ? { ...fault, barred: false } : fault] as const)
          )
      ),
    /** Clears the faults of a sound that played. */
    absolve: (id: AssetId) =>
      Ref.update(faults, (all) => (all.has(id) ? new Map([...all].filter(([other]) => other !== id)) : all))
  }
})
