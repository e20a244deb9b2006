import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { TestClock } from "effect/testing"
import { airable, testId } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const station = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const studio = makeStudioDouble()
  return { store, start: startPlayout({ store, studio }) }
})

describe("an emergency", () => {
  it.effect("is named in the stream, its health and the log, and only while it lasts", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, bus, playout } = yield* start
      yield* pass(60)
      expect((yield* bus.get("streamHealth"))!).toMatchObject({ status: "healthy", emergency: false })
      const before = store.asRun.length
      yield* playout.ask(playout.scheduler.emergency(true, "a drill"))
      yield* pass(90)
      expect((yield* bus.get("streamHealth"))!).toMatchObject({ status: "emergency", emergency: true })
      expect((yield* bus.get("nowPlaying"))!).toMatchObject({
        item: { id: null, kind: "other" },
        track: null,
        segment: null,
        displayText: "Emergency programme"
      })
      yield* playout.ask(playout.scheduler.emergency(false, "over"))
      yield* pass(30)
      expect((yield* bus.get("streamHealth"))!).toMatchObject({ status: "healthy", emergency: false })
      expect((yield* bus.get("nowPlaying"))!.item.id).toBe(air.onAir()!.itemId)
      const rows = store.asRun.slice(before)
      const emergency = rows.filter(({ outcome }) => outcome === "emergency")
      expect(emergency.reduce((sum, row) => sum + row.lastSample - row.firstSample + 1, 0) / 48_000).toBeCloseTo(90, -1)
      expect(emergency.every(({ itemId, title }) => itemId === null && title === "Emergency programme")).toBe(true)
      expect(rows[0]).toMatchObject({ outcome: "cut" })
    })
  )

  it.effect("cuts a segment, which doesn't return to the rundown although the queue as last read still names it", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, playout } = yield* start
      yield* pass(60)
      const segment = airable("segment", 1, 5)
      store.submit(segment, assetOf(segment))
      const planned = Effect.map(playout.scheduler.state, ({ items }) =>
        items.some(({ airable: { segmentId } }) => segmentId === segment.segmentId)
      )
      // The queue was read just now, and will be again in five seconds.
      while (!(yield* planned)) yield* pass(1)
      yield* playout.ask(playout.scheduler.insert(testId("itm", 1), segment, { _tag: "Flow" }, null, true))
      // More than half of it is heard, so it isn't tried again.
      yield* pass(3)
      expect(air.onAir()!.label.title).toBe(segment.title)
      yield* playout.ask(playout.scheduler.emergency(true, "a drill"))
      yield* playout.ask(playout.scheduler.emergency(false, "over"))
      expect(yield* planned).toBe(false)
      yield* pass(900)
      expect(air.spans.filter(({ label }) => label.title === segment.title)).toHaveLength(1)
      expect(store.asRun.filter(({ segmentId }) => segmentId === segment.segmentId)).toMatchObject([{ outcome: "cut" }])
    })
  )

  it.effect("requested by the listener probe keeps planned items waiting, without losing one", () =>
    Effect.gen(function* () {
      const { start, store } = yield* station
      const { air, playout } = yield* start
      yield* pass(60)
      const segments = [1, 2, 3].map((n) => airable("segment", n, 40))
      for (const each of segments) store.submit(each, assetOf(each))
      yield* playout.ask(playout.scheduler.replan)
      yield* air.air.emergency(true, "silence was heard")
      yield* pass(300)
      expect([...store.segments.values()].map(({ state }) => state).filter((state) => state === "aired")).toEqual([])
      yield* air.air.emergency(false, "it was heard long enough")
      const off = air.spans.length
      yield* pass(5)
      expect(air.onAir()).not.toBeNull()
      yield* pass(900)
      expect([...store.segments.values()].map(({ complete, state }) => [state, complete])).toEqual(
        segments.map(() => ["aired", true])
      )
      // The sound was not at fault, so the items skipped meanwhile air again.
      expect(air.spans.slice(off + 1).every(({ itemId }) => itemId !== null)).toBe(true)
    })
  )

  it.effect("continues after a restart of the station, until an operator ends it", () =>
    Effect.gen(function* () {
      const { start } = yield* station
      const first = yield* Scope.make()
      const { playout } = yield* Scope.provide(start, first)
      yield* pass(60)
      yield* playout.ask(playout.scheduler.emergency(true, "a drill"))
      yield* pass(5)
      yield* Scope.close(first, Exit.void)
      const again = yield* start
      yield* pass(10)
      expect((yield* again.bus.get("streamHealth"))!).toMatchObject({ status: "emergency", emergency: true })
      yield* again.playout.ask(again.playout.scheduler.emergency(false, "over"))
      yield* pass(5)
      expect(again.air.onAir()).not.toBeNull()
      expect((yield* again.bus.get("streamHealth"))!).toMatchObject({ status: "healthy", emergency: false })
    })
  )
})
