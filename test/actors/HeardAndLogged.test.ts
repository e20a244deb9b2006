import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { accounted } from "../support/Accounted.ts"
import { airable } from "../support/Airables.ts"
import { makeMemoryStore } from "../support/MemoryStore.ts"
import { makeMixerAir } from "../support/MixerAir.ts"
import { noon, pass, startPlayout } from "../support/Playout.ts"
import { assetOf, makeStudioDouble } from "../support/StudioDouble.ts"

/** The actors on the mixer itself. */
const station = Effect.gen(function*() {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const started = yield* startPlayout({ store, studio: makeStudioDouble(), airs: makeMixerAir })
  yield* pass(20)
  return { store, ...started }
})

type Store = ReturnType<typeof makeMemoryStore>
const withoutGap = ({ asRun }: Store) => accounted(asRun)

describe("what is heard is what is logged", () => {
  it.effect("an emergency over an item, and the item that follows it, each have their row", () => Effect.gen(function*() {
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
      expect(emergency).toMatchObject({ itemId: null, title: "Emergency programme", outcome: "emergency", trace: [`emergency: no ${seconds}`] })
      expect(rest.length).toBeLessThan(2)
    }
    withoutGap(store)
  }), 30_000)

  it.effect("an emergency over the fallback closes its row and begins another", () => Effect.gen(function*() {
    yield* TestClock.setTime(noon)
    const store = makeMemoryStore()
    const { playout } = yield* startPlayout({ store, studio: makeStudioDouble(1), airs: makeMixerAir })
    yield* pass(3)
    yield* playout.ask(playout.scheduler.emergency(true, "at once"))
    yield* pass(3)
    yield* playout.ask(playout.scheduler.emergency(false, "over"))
    yield* pass(3)
    expect(store.asRun.slice(0, 2)).toMatchObject([{ title: "Longwave", outcome: "emergency" }, { title: "Emergency programme", trace: ["emergency: at once"] }])
    withoutGap(store)
  }), 30_000)

  it.effect("F8: a sound that is gone, and one that breaks off, name the fallback and are never complete", () => Effect.gen(function*() {
    const { air, playout, store } = yield* station
    const [gone, short] = [airable("segment", 1, 30), airable("segment", 2, 30)]
    for (const each of [gone, short]) store.submit(each, assetOf(each))
    air.gone.add(gone.assetId)
    air.short.add(short.assetId)
    yield* playout.ask(playout.scheduler.replan)
    yield* pass(300, 5)
    expect(air.told.filter((event) => event._tag === "PassedOver").length).toBeGreaterThanOrEqual(2)
    expect(store.asRun.some((row) => row.assetId === gone.assetId)).toBe(false)
    const heard = store.asRun.filter((row) => row.assetId === short.assetId)
    expect(heard.length).toBeGreaterThan(0)
    expect(heard.every((row) => row.outcome === "cut" && row.lastSample - row.firstSample < 48_000)).toBe(true)
    withoutGap(store)
  }), 60_000)
})
