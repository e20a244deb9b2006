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
import type { AssetId, SegmentId } from "../../schema/Ids.ts"
import type { Airable, RundownItem } from "../../schema/air/Rundown.ts"

const emptyPool: Pool = { music: [], idents: [], hourCalls: [], fillers: [], beds: [] }

const assetsOf = (pool: Pool): ReadonlySet<AssetId> =>
  new Set(
    [
      ...pool.music,
      ...pool.hourCalls,
      ...[...pool.idents, ...pool.fillers, ...pool.beds].map((airable) => ({ airable }))
    ].map(({ airable }) => airable.assetId)
  )

interface Fault {
  readonly tries: number
  readonly barred: boolean
  readonly untilMs: number
}

/** Whether it could be done. A store that is away changes nothing that is kept here, and the next tick tries again. */
export const succeeded = <A>(what: string, ask: Effect.Effect<A>): Effect.Effect<boolean> =>
  ask.pipe(
    Effect.as(true),
    Effect.catchCause((cause) => Effect.as(Effect.logWarning(`scheduler: ${what} is not available`, cause), false))
  )

/** All that could air, as it was last read: a database that is away for a while stops no programme. */
export const makeCandidatePool = Effect.fnUntraced(function* (classes: ReadonlyArray<string>) {
  const pieces = yield* HousePieces
  const candidates = yield* Candidates
  const tracks = yield* Tracks
  const pool = yield* Ref.make(emptyPool)
  const waiting = yield* Ref.make<ReadonlyArray<Airable>>([])
  const faults = yield* Ref.make<ReadonlyMap<AssetId, Fault>>(new Map())
  return {
    pool: Ref.get(pool),
    /** Whether its sound can be had, as far as is known. */
    isGood: Effect.map(Ref.get(faults), (bad) => (airable: Airable) => bad.get(airable.assetId)?.barred !== true),
    /** Segments in the order in which they came. */
    waiting: Ref.get(waiting),
    /** Reads it anew; true when something lies there that did not before. */
    look: Effect.fnUntraced(function* (nowMs: number) {
      const before = assetsOf(yield* Ref.get(pool))
      yield* succeeded(
        "the library",
        Effect.gen(function* () {
          const [music, idents, calls, fillers, beds, queued] = yield* Effect.all([
            tracks.rested(classes, rotationCandidatesMax, nowMs),
            pieces.byRole("ident"),
            pieces.byRole("hour_call"),
            pieces.byRole("filler"),
            pieces.byRole("bed"),
            candidates.queued(nowMs, queuedForAirMax)
          ])
          const bad = yield* Ref.get(faults)
          const good = (airable: Airable) => bad.get(airable.assetId)?.barred !== true
          yield* Ref.set(pool, {
            music: music.filter(({ airable }) => good(airable)),
            idents: idents.map(({ airable }) => airable).filter(good),
            hourCalls: calls.flatMap(({ airable, hour }) =>
              hour === null || !good(airable) ? [] : [{ hour, airable }]
            ),
            fillers: fillers.map(({ airable }) => airable).filter(good),
            beds: beds.map(({ airable }) => airable).filter(good)
          })
          yield* Ref.set(waiting, queued.filter(good))
        })
      )
      return [...assetsOf(yield* Ref.get(pool))].some((id) => !before.has(id))
    }),
    /** Of these items, what has become impossible since they were planned: held, withdrawn, retired. */
    refused: Effect.fnUntraced(function* (items: ReadonlyArray<RundownItem>) {
      const spoken = yield* candidates.refused(items.flatMap((item) => item.airable.segmentId ?? []))
      return new Set<string>([
        ...spoken,
        ...(yield* tracks.refused(items.flatMap((item) => item.airable.trackId ?? [])))
      ])
    }),
    withdraw: (segmentId: SegmentId) =>
      Ref.update(waiting, (all) => all.filter((airable) => airable.segmentId !== segmentId)),
    /** Its sound can't be had: it isn't chosen again until it is forgiven, each time later. Answers how often that was. */
    bar: (id: AssetId, nowMs: number) =>
      Ref.modify(faults, (all) => {
        const tries = (all.get(id)?.tries ?? 0) + 1
        const restMs = Math.min(unairableForgivenMaxMs, unairableForgivenMs * 2 ** (tries - 1))
        return [tries, new Map(all).set(id, { tries, barred: true, untilMs: nowMs + restMs })]
      }),
    /** A repaired disk makes its sounds airable again. */
    forgive: (nowMs: number) =>
      Ref.update(
        faults,
        (all) =>
          new Map(
            [...all].map(([id, fault]) => [id, fault.untilMs <= nowMs ? { ...fault, barred: false } : fault] as const)
          )
      ),
    /** It could be had after all. */
    absolve: (id: AssetId) =>
      Ref.update(faults, (all) => (all.has(id) ? new Map([...all].filter(([other]) => other !== id)) : all))
  }
})
