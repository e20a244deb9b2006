import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { unairableTriesMax } from "../../../engine/rules/air/limits.ts"
import { airable } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const withSegment = (fault: "truncated" | "disk") =>
  Effect.gen(function* () {
    yield* TestClock.setTime(noon)
    const store = makeMemoryStore()
    const studio = makeStudioDouble()
    const { playout } = yield* startPlayout({ store, studio })
    yield* pass(60)
    const segment = airable("segment", 3, 40)
    studio.broken.set(segment.assetId, fault)
    store.submit(segment, assetOf(segment))
    yield* playout.ask(playout.scheduler.enqueue(segment.segmentId!))
    const state = () => store.segments.get(segment.segmentId!)!
    return { segment, state, studio, tries: () => state().moves.filter((move) => move === "queued>scheduled").length }
  })

describe("a segment whose sound can't be staged", () => {
  it.effect("is retried at growing intervals, and given up after the last try", () =>
    Effect.gen(function* () {
      const { state, tries } = yield* withSegment("truncated")
      yield* pass(180, 2)
      const early = tries()
      expect([early >= 2, early <= 3]).toEqual([true, true])
      yield* pass(600, 4)
      expect(tries()).toBeLessThanOrEqual(early + 2)
      yield* pass(2_400, 6)
      expect(state().state).toBe("failed")
      expect(tries()).toBe(unairableTriesMax)
      expect(state().moves.slice(-2)).toEqual(["scheduled>queued", "queued>failed"])
      yield* pass(1_800, 10)
      expect(tries()).toBe(unairableTriesMax)
    })
  )

  it.effect("airs once its sound is back, and is never given up while the disk is away", () =>
    Effect.gen(function* () {
      const { segment, state, studio } = yield* withSegment("disk")
      yield* pass(4_500, 10)
      expect(state().state).not.toBe("failed")
      studio.broken.delete(segment.assetId)
      yield* pass(3_000, 5)
      expect(state()).toMatchObject({ state: "aired", complete: true })
    })
  )
})
