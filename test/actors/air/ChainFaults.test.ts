import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { airable } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const station = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const now = yield* startPlayout({ store, studio: makeStudioDouble() })
  yield* pass(60)
  return { store, ...now }
})

describe("F11: when the air chain crashes", () => {
  it.effect("the next one gets the plan and the emergency library, even if it starts empty", () =>
    Effect.gen(function* () {
      const { air, playout, store } = yield* station
      const before = air.libraries.at(-1)!
      const stocked = air.libraries.length
      const planned = air.planOf().map(({ itemId }) => itemId)
      expect(planned.length).toBeGreaterThan(4)
      yield* air.fail(false)
      yield* pass(1)
      expect(air.planOf().map(({ itemId, startSample }) => [itemId, startSample])).toEqual(
        (yield* playout.scheduler.state).items.slice(0, air.planOf().length).map((item) => [item.id, item.startSample])
      )
      expect(air.planOf().map(({ itemId }) => itemId)).toEqual(planned)
      expect(air.libraries.length).toBe(stocked + 1)
      expect(air.libraries.at(-1)).toEqual(before)
      yield* pass(600)
      expect(air.onAir()).not.toBeNull()
      checkAccounted(store.asRun)
    })
  )

  it.effect("the item on the air plays to its end, once, with every sample accounted for", () =>
    Effect.gen(function* () {
      const { air, playout, store } = yield* station
      const segment = airable("segment", 9, 120)
      store.submit(segment, assetOf(segment))
      yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
      for (let i = 0; i < 600 && air.onAir()?.sound.assetId !== segment.assetId; i++) yield* pass(1)
      yield* pass(20)
      for (let falls = 0; falls < 3; falls++) {
        yield* air.fail(true)
        yield* pass(10)
      }
      yield* pass(600)
      const rows = store.asRun.filter((row) => row.segmentId === segment.segmentId)
      expect(rows.map(({ outcome }) => outcome)).toEqual(["cut", "cut", "cut", "complete"])
      // Until its own end; its last four seconds overlap the intro of the next item.
      expect(rows.at(-1)!.lastSample - rows[0]!.firstSample + 1).toBe(120 * 48_000)
      expect(rows.slice(1).map(({ firstSample }) => firstSample)).toEqual(
        rows.slice(0, -1).map(({ lastSample }) => lastSample + 1)
      )
      expect(store.segments.get(segment.segmentId!)).toMatchObject({ state: "aired", complete: true })
      checkAccounted(store.asRun)
    })
  )
})
