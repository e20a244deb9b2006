import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Scope } from "effect"
import { TestClock } from "effect/testing"
import { airLeaseMs } from "../../../engine/rules/air/limits.ts"
import { msToSamples } from "../../../schema/time/Samples.ts"
import { checkAccounted } from "../../support/air/Accounted.ts"
import { airable } from "../../support/air/Airables.ts"
import { makeMemoryStore } from "../../support/air/MemoryStore.ts"
import { noon, pass, startPlayout } from "../../support/air/Playout.ts"
import { makeProcessChain } from "../../support/air/ProcessChain.ts"
import { assetOf, makeStudioDouble } from "../../support/air/StudioDouble.ts"

const voiceSec = 120

/** Two processes over one store. The first has the air, and a voice on it for half a minute. Staging takes a hundredth of the length of its sound. */
const enter = Effect.gen(function* () {
  yield* TestClock.setTime(noon)
  const store = makeMemoryStore()
  const studio = makeStudioDouble(10)
  const running = yield* Scope.make()
  const [first, second] = [yield* Scope.provide(makeProcessChain, running), yield* makeProcessChain]
  const { playout } = yield* Scope.provide(startPlayout({ store, studio, airs: Effect.succeed(first) }), running)
  yield* pass(20)
  const voice = airable("segment", 7, voiceSec)
  store.submit(voice, assetOf(voice))
  yield* playout.ask(playout.scheduler.enqueue(voice.segmentId!))
  const onAir = Effect.map(playout.scheduler.state, (rundown) => rundown.onAir)
  for (let i = 0; i < 600 && (yield* onAir)?.airable.segmentId !== voice.segmentId; i++) yield* pass(1)
  const spoken = (yield* onAir)!
  yield* pass(30)
  return {
    first,
    second,
    playout,
    store,
    spoken,
    segment: () => store.segments.get(voice.segmentId!)!,
    /** Ends the first process at once. */
    kill: Scope.close(running, Exit.void),
    /** The second process takes the air after this silence of the first. */
    takeOver: (silentMs: number) =>
      Effect.gen(function* () {
        second.take(silentMs)
        const started = yield* Effect.forkScoped(startPlayout({ store, studio, airs: Effect.succeed(second) }))
        yield* pass(1, 0.1)
        return yield* Fiber.join(started)
      }),
    rowsOf: (id: string) => store.asRun.filter(({ itemId }) => itemId === id),
    offAir: () => store.asRun.filter(({ outcome }) => outcome === "off_air")
  }
})

describe("the as-run log of a takeover of the air", () => {
  it.effect(
    "has one row of an item that began before the standby followed: listeners heard it without a gap",
    () =>
      Effect.gen(function* () {
        const { first, kill, offAir, rowsOf, second, segment, spoken, store, takeOver } = yield* enter
        second.follow(first)
        yield* pass(6)
        yield* kill
        yield* pass(airLeaseMs / 1_000, 0.1)
        const { playout } = yield* takeOver(airLeaseMs)
        yield* pass(5)
        expect((yield* playout.scheduler.state).onAir).toMatchObject({ id: spoken.id, startSample: spoken.startSample })
        yield* pass(voiceSec)
        expect(rowsOf(spoken.id)).toMatchObject([
          {
            outcome: "complete",
            segmentId: spoken.airable.segmentId,
            firstSample: spoken.startSample,
            lastSample: spoken.startSample + voiceSec * 48_000 - 1,
            // The second process rendered a part of it only.
            pcmSha256: null
          }
        ])
        expect(segment()).toMatchObject({ state: "aired", complete: true })
        expect(offAir()).toEqual([])
        checkAccounted(store.asRun)
      }),
    300_000
  )

  it.effect(
    "has the ends and beginnings that an owner without the store could not write",
    () =>
      Effect.gen(function* () {
        const { first, kill, offAir, playout, rowsOf, second, segment, spoken, store, takeOver } = yield* enter
        second.follow(first)
        yield* pass(voiceSec - 35)
        store.down = true
        // The voice ends, and the next sounds begin.
        yield* pass(10)
        const next = (yield* playout.scheduler.state).onAir!
        expect(next.id).not.toBe(spoken.id)
        yield* kill
        store.down = false
        yield* takeOver(10_000)
        yield* pass(300)
        expect(rowsOf(spoken.id)).toMatchObject([
          {
            outcome: "complete",
            firstSample: spoken.startSample,
            lastSample: spoken.startSample + voiceSec * 48_000 - 1
          }
        ])
        expect(segment()).toMatchObject({ state: "aired", complete: true })
        expect(rowsOf(next.id)).toMatchObject([{ outcome: "complete", firstSample: next.startSample }])
        expect(offAir()).toEqual([])
        checkAccounted(store.asRun)
      }),
    300_000
  )

  // Around the border of two items, one of the two processes has begun the next and the other not yet, or the owner can't write that it has begun.
  for (const { atSec, canWrite } of [
    { atSec: -0.25, canWrite: true },
    { atSec: 0.5, canWrite: true },
    { atSec: 0.5, canWrite: false }
  ])
    it.effect(
      `has neither a cut nor a gap ${atSec} s after the end of an item${canWrite ? "" : ", while the owner can't write"}`,
      () =>
        Effect.gen(function* () {
          const { first, kill, second, spoken, store, takeOver } = yield* enter
          second.follow(first)
          const end = spoken.startSample + voiceSec * 48_000
          while (first.status().nowSample < end + msToSamples(atSec * 1_000)) yield* pass(0.1, 0.1)
          if (!canWrite) store.down = true
          yield* pass(0.5, 0.1)
          yield* kill
          if (!canWrite) yield* pass(airLeaseMs / 1_000, 0.1)
          store.down = false
          yield* takeOver(100)
          yield* pass(60)
          const heard = store.asRun.filter(({ lastSample }) => lastSample > spoken.startSample + 48_000)
          // The song under the beginning of the voice was faded for it.
          expect(
            heard.filter(({ lastSample, outcome }) => outcome !== "complete" && lastSample > end - 48_000)
          ).toEqual([])
          expect(heard.find(({ itemId }) => itemId === spoken.id)).toMatchObject({ lastSample: end - 1 })
          checkAccounted(store.asRun)
        }),
      300_000
    )

  it.effect(
    "has the emergency programme from its first sample",
    () =>
      Effect.gen(function* () {
        const { first, kill, offAir, playout, second, store, takeOver } = yield* enter
        yield* playout.ask(playout.scheduler.emergency(true, "a test"))
        yield* pass(30)
        second.follow(first)
        yield* pass(6)
        yield* kill
        yield* pass(airLeaseMs / 1_000, 0.1)
        const next = yield* takeOver(airLeaseMs)
        yield* pass(5)
        yield* next.playout.ask(next.playout.scheduler.emergency(false, "over"))
        yield* pass(5)
        const heard = store.asRun.findLast(({ title }) => title === "Emergency programme")!
        expect((heard.lastSample - heard.firstSample) / 48_000).toBeGreaterThan(40)
        expect(offAir()).toEqual([])
        checkAccounted(store.asRun)
      }),
    300_000
  )

  it.effect(
    "says off the air from the last sign of life of the owner until the first sample of a standby that came later",
    () =>
      Effect.gen(function* () {
        const { first, kill, offAir, rowsOf, second, spoken, store, takeOver } = yield* enter
        yield* kill
        const sentBefore = first.status().nowSample
        yield* pass(40)
        second.follow(first)
        yield* pass(3)
        const followedFrom = second.status().renderedTo - msToSamples(3_000)
        yield* takeOver(43_000)
        yield* pass(voiceSec)
        const [gap, ...more] = offAir()
        expect(more).toEqual([])
        expect(gap).toMatchObject({ firstSample: sentBefore })
        expect(gap!.lastSample).toBeLessThan(followedFrom)
        expect(rowsOf(spoken.id)).toMatchObject([
          { outcome: "cut", firstSample: spoken.startSample, lastSample: sentBefore - 1 },
          { outcome: "complete", firstSample: gap!.lastSample + 1 }
        ])
        checkAccounted(store.asRun)
      }),
    300_000
  )
})
