import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { planLeadMs } from "../../../engine/rules/air/limits.ts"
import type { SegmentId } from "../../../schema/Ids.ts"
import type { RundownItem } from "../../../schema/air/Rundown.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"
import { airable } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

/** A station with one segment in its rundown. */
const planned = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const { air, playout } = yield* startPlayout({ store, studio: makeStudioDouble() })
  yield* pass(60)
  const segment = airable("segment", 1, 20)
  store.submit(segment, assetOf(segment))
  const id = segment.segmentId as SegmentId
  const place = Effect.map(playout.scheduler.state, ({ items }) => items.find((item) => item.airable.segmentId === id))
  while ((yield* place) === undefined) yield* pass(1)
  /** Until the mixer is this far from the segment's start. */
  const approach = (leadMs: number) =>
    Effect.gen(function* () {
      for (;;) {
        const item = yield* place
        const { renderedTo } = yield* air.air.status
        if (item === undefined || item.startSample - renderedTo <= msToSamples(leadMs)) return
        yield* pass(0.1, 0.1)
      }
    })
  return {
    air,
    approach,
    id,
    place,
    playout,
    segment,
    store,
    recall: (onlyAsked = false) => playout.ask(playout.scheduler.recall(id, onlyAsked)),
    /** What the log holds of it in the end. */
    heard: Effect.andThen(
      pass(120),
      Effect.sync(() => store.asRun.filter(({ segmentId }) => segmentId === id).map(({ outcome }) => outcome))
    )
  }
})

describe("a segment whose approval is undone", () => {
  it.effect("isn't heard when the station takes it off before the mixer has it", () =>
    Effect.gen(function* () {
      const { approach, heard, id, place, recall, store } = yield* planned
      yield* approach(planLeadMs + 2_000)
      expect([yield* recall(true), (yield* place) === undefined]).toEqual(["removed", false])
      expect([yield* recall(), yield* place]).toEqual(["removed", undefined])
      // The undo commits.
      store.segments.delete(id)
      expect(yield* recall()).toBe("absent")
      expect(yield* heard).toEqual([])
    })
  )

  it.effect("stays on the air when it begins before a plan without it could arrive", () =>
    Effect.gen(function* () {
      const { approach, heard, recall } = yield* planned
      yield* approach(planLeadMs - 300)
      expect(yield* recall()).toBe("on_air")
      expect(yield* heard).toEqual(["complete"])
    })
  )

  it.effect("stays on the air when it has begun, whatever the store knows", () =>
    Effect.gen(function* () {
      const { air, approach, heard, recall, segment, store } = yield* planned
      yield* approach(500)
      store.down = true
      yield* pass(3, 0.5)
      expect(air.onAir()!.label.title).toBe(segment.title)
      expect(yield* recall()).toBe("on_air")
      store.down = false
      expect(yield* heard).toEqual(["complete"])
    })
  )

  it.effect("stays on the air when a slow store holds up the plan until the mixer has begun it", () =>
    Effect.gen(function* () {
      const { approach, heard, place, playout, recall, segment, store } = yield* planned
      yield* approach(planLeadMs + 500)
      store.slowMs = 2_000
      const answer = yield* Effect.forkChild(recall())
      for (let turn = 0; answer.pollUnsafe() === undefined && turn < 200; turn++) yield* pass(0.1, 0.1)
      store.slowMs = 0
      expect([yield* Fiber.join(answer), yield* place]).toEqual(["on_air", undefined])
      expect((yield* playout.scheduler.state).onAir?.airable.segmentId).toBe(segment.segmentId)
      expect(yield* heard).toEqual(["complete"])
    })
  )

  it.effect("is no longer the station's affair once the store knows that it aired", () =>
    Effect.gen(function* () {
      const { approach, recall, segment, store } = yield* planned
      yield* approach(500)
      yield* pass(60)
      expect(store.segments.get(segment.segmentId!)!.state).toBe("aired")
      expect(yield* recall()).toBe("absent")
    })
  )
})

describe("a track whose approval is undone", () => {
  /** A station that plays music, and the next track of its rundown. */
  const music = Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const store = makeMemoryStore()
    const { air, playout } = yield* startPlayout({ store, studio: makeStudioDouble() })
    yield* pass(60)
    const state = playout.scheduler.state
    const next = Effect.map(state, ({ items }) => items.find(({ airable }) => airable.trackId !== null))
    while ((yield* next) === undefined) yield* pass(1)
    const recall = (item: RundownItem, onlyAsked = false) =>
      playout.ask(
        playout.scheduler.recallTrack(
          { trackId: item.airable.trackId!, assetId: item.airable.assetId, sinceMs: noon },
          onlyAsked
        )
      )
    const isPlanned = (item: RundownItem) =>
      Effect.map(state, ({ items }) => items.some(({ airable }) => airable.trackId === item.airable.trackId))
    return { air, isPlanned, recall, state, store }
  })

  it.effect("isn't heard when the station takes it off before the mixer has it", () =>
    Effect.gen(function* () {
      const { isPlanned, recall, state, store } = yield* music
      const heard = new Set((yield* state).onAir === null ? [] : [(yield* state).onAir!.airable.trackId])
      const later = (yield* state).items.findLast(
        ({ airable }) => airable.trackId !== null && !heard.has(airable.trackId)
      )!
      const played = store.asRun.some(({ trackId }) => trackId === later.airable.trackId)
      expect(played).toBe(false)
      expect([yield* recall(later, true), yield* isPlanned(later)]).toEqual(["removed", true])
      expect([yield* recall(later), yield* isPlanned(later)]).toEqual(["removed", false])
      // The undo commits.
      store.tracks.delete(later.airable.trackId!)
      yield* pass(300)
      expect(store.asRun.filter(({ trackId }) => trackId === later.airable.trackId)).toEqual([])
    })
  )

  it.effect("stays when it sounds, and when it has been heard since", () =>
    Effect.gen(function* () {
      const { recall, state } = yield* music
      while ((yield* state).onAir?.airable.trackId == null) yield* pass(1)
      const heard = (yield* state).onAir!
      expect(yield* recall(heard)).toBe("on_air")
      while ((yield* state).onAir?.id === heard.id) yield* pass(5)
      expect(yield* recall(heard, true)).toBe("on_air")
    })
  )
})
