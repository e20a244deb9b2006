import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { msOf, msToSamples } from "../../../schema/time/Samples.ts"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

describe("staged sounds", () => {
  it.effect("are deleted regularly, except those heard, planned or kept for emergencies", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const store = makeMemoryStore()
      const studio = makeStudioDouble()
      const { air, playout } = yield* startPlayout({ store, studio })
      const purges: Array<number> = []
      const lost: Array<string> = []
      let nowMs = noon
      studio.onPurge.push((keep) => {
        const { items, onAir } = Effect.runSync(playout.scheduler.state)
        const soon = items.filter((item) => msOf(item.startSample) < nowMs + 60_000)
        const needed = [onAir, ...soon]
          .flatMap((item) => (item === null ? [] : [item.airable.assetId, item.airable.bedAssetId]))
          .filter((id) => id !== null)
        const emergency = (air.libraries.at(-1) ?? []).map((sound) => sound.assetId)
        lost.push(...[...needed, ...emergency].filter((id) => !keep.has(id)))
        purges.push(keep.size)
      })
      for (let n = 0; n < 8; n++) {
        const segment = airable("segment", 100 + n, 30)
        store.submit(segment, assetOf(segment))
      }
      for (let minute = 0; minute < 60; minute++) {
        yield* pass(60, 3)
        nowMs += 60_000
      }
      expect(lost).toEqual([])
      expect(purges.length).toBeGreaterThan(10)
      // The set doesn't grow with past items: after months, a station keeps no more than this.
      expect(Math.max(...purges)).toBeLessThan(200)
      expect([...store.segments.values()].filter(({ state }) => state === "aired").length).toBeGreaterThan(3)
    })
  )

  it.effect("are made for all that is planned, also while something else is put on the air", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const store = makeMemoryStore()
      const studio = makeStudioDouble(10)
      const { air, playout } = yield* startPlayout({ store, studio })
      yield* pass(600)
      const planned = [1, 2, 3, 4, 5, 6].map((n) => airable("segment", 100 + n, 100))
      for (const segment of planned) store.submit(segment, assetOf(segment))
      yield* Effect.forkChild(playout.ask(playout.scheduler.replan))
      // Each takes a second: some are staged, the others are not.
      yield* pass(2)
      const wanted = airable("segment", 99, 20)
      store.submit(wanted, assetOf(wanted))
      yield* Effect.forkChild(
        playout.ask(playout.scheduler.insert(testId("itm", 5), wanted, { _tag: "Flow" }, null, true))
      )
      yield* pass(30)
      expect(air.spans.some(({ itemId }) => itemId === testId("itm", 5))).toBe(true)
      // Nothing that could be read lost its place.
      expect(
        [...store.segments.values()].flatMap(({ moves }) => moves.filter((move) => move.endsWith(">queued")))
      ).toEqual([])
    })
  )

  it.effect("keep the place of what is put on the air while another item begins", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(noon)
      const store = makeMemoryStore()
      const { air, playout } = yield* startPlayout({ store, studio: makeStudioDouble(10) })
      yield* pass(600)
      const next = (yield* playout.scheduler.state).items[0]!
      while (next.startSample - (yield* air.air.status).renderedTo > msToSamples(500)) yield* pass(0.1, 0.1)
      // Its sound is staged in one second, and the next item begins in half of one.
      const wanted = airable("segment", 99, 100)
      store.submit(wanted, assetOf(wanted))
      const id = testId("itm", 5)
      yield* Effect.forkChild(playout.ask(playout.scheduler.insert(id, wanted, { _tag: "Flow" }, null, true)))
      yield* pass(6, 0.5)
      expect((yield* playout.scheduler.state).onAir?.id).toBe(id)
      expect(air.onAir()!.label.title).toBe(wanted.title)
      yield* pass(120)
      expect(air.spans.slice(-2).map(({ complete, itemId }) => ({ complete, itemId }))).toEqual([
        { itemId: next.id, complete: false },
        { itemId: id, complete: true }
      ])
      expect(store.segments.get(wanted.segmentId!)?.state).toBe("aired")
    })
  )
})
