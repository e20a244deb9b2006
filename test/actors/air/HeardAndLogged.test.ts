import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Air } from "../../../engine/ports/Air.ts"
import { AirStatus } from "../../../schema/air/Air.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { airable } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { makeMixerAir } from "../../support/air/MixerAir.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

/** The actors with the real mixer. */
const station = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const started = yield* startPlayout({ store, studio: makeStudioDouble(), airs: makeMixerAir })
  yield* pass(20)
  return { store, ...started }
})

type Store = ReturnType<typeof makeMemoryStore>
const withoutGap = ({ asRun }: Store) => checkAccounted(asRun)

describe("the as-run log", () => {
  it.effect(
    "has a row each for an emergency over an item and for the next item",
    () =>
      Effect.gen(function* () {
        const { air, playout, store } = yield* station
        for (const seconds of [3, 0, 1]) {
          const before = air.onAir()!
          expect(before.itemId).not.toBeNull()
          const rows = store.asRun.length
          yield* playout.ask(playout.scheduler.emergency(true, `no ${seconds}`))
          yield* pass(seconds)
          yield* playout.ask(playout.scheduler.emergency(false, "over"))
          yield* pass(5)
          const [cut, emergency, ...rest] = store.asRun.slice(rows)
          expect(cut).toMatchObject({ itemId: before.itemId, outcome: "cut" })
          if (seconds === 0 && emergency === undefined) continue
          expect(emergency).toMatchObject({
            itemId: null,
            title: "Emergency programme",
            outcome: "emergency",
            trace: [`emergency: no ${seconds}`]
          })
          expect(rest.length).toBeLessThan(2)
        }
        withoutGap(store)
      }),
    300_000
  )

  it.effect(
    "closes the row of the fallback at an emergency and begins another",
    () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(noon)
        const store = makeMemoryStore()
        const { playout } = yield* startPlayout({ store, studio: makeStudioDouble(1), airs: makeMixerAir })
        yield* pass(3)
        yield* playout.ask(playout.scheduler.emergency(true, "at once"))
        yield* pass(3)
        yield* playout.ask(playout.scheduler.emergency(false, "over"))
        yield* pass(3)
        expect(store.asRun.slice(0, 2)).toMatchObject([
          { title: "Longwave", outcome: "emergency" },
          { title: "Emergency programme", trace: ["emergency: at once"] }
        ])
        withoutGap(store)
      }),
    300_000
  )

  it.effect(
    "F8: names the fallback for a missing or broken sound, never as complete",
    () =>
      Effect.gen(function* () {
        const { air, playout, store } = yield* station
        const [gone, short] = [airable("segment", 1, 30), airable("segment", 2, 30)]
        for (const each of [gone, short]) store.submit(each, assetOf(each))
        air.gone.add(gone.assetId)
        air.short.add(short.assetId)
        yield* playout.ask(playout.scheduler.replan)
        yield* pass(300, 5)
        expect(air.told.filter((event) => event._tag === "Skipped").length).toBeGreaterThanOrEqual(2)
        expect(store.asRun.some((row) => row.assetId === gone.assetId)).toBe(false)
        const heard = store.asRun.filter((row) => row.assetId === short.assetId)
        expect(heard.length).toBeGreaterThan(0)
        expect(heard.every((row) => row.outcome === "cut" && row.lastSample - row.firstSample < 48_000)).toBe(true)
        withoutGap(store)
      }),
    300_000
  )

  /** A voice that continues for four seconds over the following song, one second after it began. */
  const overlapping = Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const store = makeMemoryStore()
    const studio = makeStudioDouble()
    const chain = yield* makeMixerAir
    const incarnation = yield* Scope.make()
    const { playout } = yield* Scope.provide(startPlayout({ store, studio, airs: Effect.succeed(chain) }), incarnation)
    yield* pass(20)
    const voice = airable("segment", 7, 10)
    store.submit(voice, assetOf(voice))
    yield* playout.ask(playout.scheduler.enqueue(voice.segmentId!))
    const named = () => chain.told.findLast((event) => event._tag === "Started")!
    const item = Effect.map(playout.scheduler.state, ({ onAir }) => onAir)
    for (let i = 0; i < 6_000 && (yield* item)?.airable.segmentId !== voice.segmentId; i++) yield* pass(0.1, 0.1)
    const spoken = (yield* item)!
    for (let i = 0; i < 200 && named().itemId === spoken.id; i++) yield* pass(0.1, 0.1)
    const song = named()
    yield* pass(1, 0.1)
    const rowsOf = (id: string | null) => store.asRun.filter(({ itemId }) => itemId === id)
    const segment = () => store.segments.get(voice.segmentId!)!
    return { chain, incarnation, playout, rowsOf, segment, song, spoken, store, studio }
  })

  it.effect(
    "cuts two overlapping sounds at an emergency, each at its last heard sample",
    () =>
      Effect.gen(function* () {
        const { playout, rowsOf, segment, song, spoken, store } = yield* overlapping
        expect([rowsOf(spoken.id), segment().state]).toEqual([[], "airing"])
        yield* playout.ask(playout.scheduler.emergency(true, "both"))
        yield* pass(3)
        const [[voice], [over], emergency] = [rowsOf(spoken.id), rowsOf(song.itemId), store.asRun.at(-1)!]
        expect([voice, over]).toMatchObject([{ outcome: "cut", lastSample: over!.lastSample }, { outcome: "cut" }])
        expect([voice!.firstSample < over!.firstSample, emergency.lastSample]).toEqual([true, over!.lastSample])
        const sec = (voice!.lastSample + 1 - voice!.firstSample) / 48_000
        expect([sec > 7, sec < 8]).toEqual([true, true])
        // More than half of it was heard.
        expect(segment()).toMatchObject({ state: "aired", complete: false })
        withoutGap(store)
      }),
    300_000
  )

  it.effect(
    "F3: marks two overlapping sounds as cut after a kill",
    () =>
      Effect.gen(function* () {
        const { incarnation, rowsOf, segment, song, spoken, store, studio } = yield* overlapping
        // Until both have been heard again.
        yield* pass(1.5, 0.1)
        yield* Scope.close(incarnation, Exit.void)
        expect([...store.open.keys()].toSorted()).toEqual([spoken.id, song.itemId!].toSorted())
        yield* pass(30)
        yield* startPlayout({ store, studio, airs: makeMixerAir })
        yield* pass(30)
        for (const id of [spoken.id, song.itemId!])
          expect(rowsOf(id)).toMatchObject([
            { outcome: "cut", trace: expect.arrayContaining(["cut: the station stopped"]) }
          ])
        expect(store.asRun.some(({ outcome }) => outcome === "off_air")).toBe(true)
        expect([...store.open.keys()].some((id) => id === spoken.id || id === song.itemId)).toBe(false)
        expect(segment().state === "aired" || segment().moves.includes("airing>queued")).toBe(true)
        withoutGap(store)
      }),
    300_000
  )

  it.effect(
    "F3: marks a sound as complete if a kill comes between its last sample and its row",
    () =>
      Effect.gen(function* () {
        const { incarnation, rowsOf, segment, spoken, store, studio } = yield* overlapping
        yield* pass(1.5, 0.1)
        yield* Scope.close(incarnation, Exit.void)
        yield* pass(30)
        const endSample = spoken.startSample + 10 * 48_000
        yield* startPlayout({
          store,
          studio,
          airs: Effect.map(makeMixerAir, (chain) => ({
            ...chain,
            layer: Layer.effect(
              Air,
              Effect.map(Air, (air) => ({
                ...air,
                status: Effect.map(air.status, (status) => new AirStatus({ ...status, sentBefore: endSample + 480 }))
              }))
            ).pipe(Layer.provide(chain.layer))
          }))
        })
        yield* pass(30)
        expect(rowsOf(spoken.id)).toMatchObject([
          { outcome: "complete", firstSample: spoken.startSample, lastSample: endSample - 1 }
        ])
        expect(segment()).toMatchObject({ state: "aired", complete: true })
        withoutGap(store)
      }),
    300_000
  )

  it.effect(
    "keeps open rows when a new incarnation takes over the same chain",
    () =>
      Effect.gen(function* () {
        const { chain, incarnation, rowsOf, segment, song, spoken, store, studio } = yield* overlapping
        yield* Scope.close(incarnation, Exit.void)
        yield* startPlayout({ store, studio, airs: Effect.succeed(chain) })
        yield* pass(300)
        expect(rowsOf(spoken.id)).toMatchObject([
          {
            outcome: "complete",
            segmentId: spoken.airable.segmentId,
            firstSample: spoken.startSample,
            lastSample: spoken.startSample + 10 * 48_000 - 1
          }
        ])
        expect(rowsOf(song.itemId)).toMatchObject([{ outcome: "complete", firstSample: song.atSample, role: "music" }])
        expect(segment()).toMatchObject({ state: "aired", complete: true })
        withoutGap(store)
      }),
    300_000
  )
})
