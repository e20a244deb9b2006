import { describe, expect, it } from "@effect/vitest"
import { Clock, Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { AirHolding } from "../../../actors/runtime/AirHolding.ts"
import { CurrentAirOwnership, LeasedAir } from "../../../engine/ports/AirOwnership.ts"
import {
  airBeatMs,
  airLeaseMs,
  airLeasePatienceMs,
  airLeaseRenewMs,
  stationEndMs
} from "../../../engine/rules/air/limits.ts"
import type { ClusterSettings } from "../../../engine/runtime/Config.ts"
import { AirLease } from "../../../engine/store/air/AirLease.ts"

/** One process that has the air, on a clock that is set by hand. */
const owner = () => {
  let nowMs = 0
  const air = new LeasedAir(airLeaseMs, () => nowMs)
  const told: Array<boolean> = []
  air.listen((holds) => told.push(holds))
  /** It runs until then, with a beat now and then. */
  const run = (untilMs: number) => {
    for (; nowMs < untilMs; nowMs = Math.min(untilMs, nowMs + airBeatMs)) air.beat()
    air.beat()
  }
  air.note(true, 1)
  return { air, told, run, freeze: (untilMs: number) => void (nowMs = untilMs) }
}

describe("the ownership of the air", () => {
  it("ends by the clock of its process, from the instant at which the last renewal was sent", () => {
    const { air, freeze, run } = owner()
    run(500)
    // The answer takes a second, and a freeze follows.
    run(1_500)
    air.note(true, 1, { sentMs: 500 })
    freeze(500 + airLeaseMs - 1)
    expect(air.holds()).toBe(true)
    freeze(500 + airLeaseMs)
    expect(air.holds()).toBe(false)
  })

  it("is not kept by an answer that has waited for the end of a freeze", () => {
    const { air, freeze, run, told } = owner()
    run(500)
    freeze(60_000)
    air.note(true, 1, { sentMs: 500 })
    expect(air.holds()).toBe(false)
    // The next one is from now.
    air.note(true, 1)
    expect(air.holds()).toBe(true)
    expect(told).toEqual([true, false, true])
  })

  it("goes on while the store is silent, and ends with the first word of another owner, however late", () => {
    const { air, run, told } = owner()
    run(500)
    run(1_500)
    air.noteSilence(500)
    run(600_000)
    expect(told).toEqual([true])
    air.note(false, 2, { sentMs: 500 })
    expect([air.holds(), air.fence()]).toEqual([false, 2])
  })

  it("does not take a store for silent that it could not ask during a freeze", () => {
    const { air, freeze, run } = owner()
    run(500)
    freeze(500 + airLeaseMs - 600)
    air.noteSilence(500)
    expect(air.holds()).toBe(true)
    run(airLeaseMs)
    expect(air.holds()).toBe(false)
    // It asks again, and runs.
    run(airLeaseMs + 1_000)
    air.noteSilence(airLeaseMs)
    expect(air.holds()).toBe(true)
    // A hang that is shorter than a lease changes nothing.
    freeze(2 * airLeaseMs + 999)
    expect(air.holds()).toBe(true)
    // After a longer freeze it has to look.
    freeze(60_000)
    air.noteSilence(59_000)
    run(70_000)
    air.noteSilence(65_000)
    expect(air.holds()).toBe(false)
  })
})

describe("an owner of the air", () => {
  it.effect("keeps it for as long as the store is silent, whatever becomes of its statements", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const ownership = new LeasedAir(airLeaseMs, () => clock.currentTimeMillisUnsafe())
      const found = { owner: "a", sinceMs: 0, reason: null, fence: 1, formerSilentMs: null }
      const store = { isSilent: false, asked: 0 }
      const scope = yield* Scope.make()
      const context = yield* Layer.build(
        AirHolding.layer({ name: "a" } as ClusterSettings).pipe(
          Layer.provide(
            Layer.mock(AirLease, {
              session: Effect.succeed(1),
              hold: () =>
                Effect.suspend(() => {
                  store.asked += 1
                  // A statement that is under way can't be interrupted.
                  return store.isSilent
                    ? Effect.uninterruptible(Effect.delay(Effect.die("cut"), 60_000))
                    : Effect.succeed(found)
                }),
              release: () => Effect.void
            })
          )
        )
      ).pipe(Scope.provide(scope), Effect.provideService(CurrentAirOwnership, ownership))
      expect(Context.get(context, AirHolding).holder()).toEqual(found)
      const told: Array<boolean> = []
      ownership.listen((holds) => told.push(holds))
      yield* TestClock.adjust(10 * airLeaseRenewMs)
      expect(store.asked).toBeGreaterThan(9)
      store.isSilent = true
      for (let ms = 0; ms < 100_000; ms += 100) yield* TestClock.adjust(100)
      store.isSilent = false
      yield* TestClock.adjust(60_000)
      expect([ownership.holds(), told]).toEqual([true, []])
      yield* Scope.close(scope, Exit.void)
    })
  )

  it.effect("gives it back before it stops, and takes it no more, though a look was under way", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const ownership = new LeasedAir(airLeaseMs, () => clock.currentTimeMillisUnsafe())
      const said: Array<string> = []
      const context = yield* Layer.build(
        AirHolding.layer({ name: "a" } as ClusterSettings).pipe(
          Layer.provide(
            Layer.mock(AirLease, {
              session: Effect.succeed(1),
              hold: () =>
                Effect.suspend(() => {
                  const answer = Effect.sync(() => {
                    said.push("held")
                    return { owner: "a", sinceMs: 0, reason: null, fence: 1, formerSilentMs: null }
                  })
                  return said.length === 0 ? answer : Effect.delay(answer, 300)
                }),
              find: Effect.succeed({ owner: "b", sinceMs: 0, reason: null, fence: 2 }),
              release: () => Effect.sync(() => void said.push("released"))
            })
          )
        )
      ).pipe(Effect.provideService(CurrentAirOwnership, ownership))
      yield* TestClock.adjust(airLeaseRenewMs + 10)
      expect([ownership.holds(), said]).toEqual([true, ["held"]])
      const handingOver = yield* Effect.forkChild(Context.get(context, AirHolding).handOver)
      yield* TestClock.adjust(300)
      yield* Fiber.join(handingOver)
      expect([ownership.holds(), Context.get(context, AirHolding).holder()]).toEqual([false, null])
      yield* TestClock.adjust(10 * airLeaseMs)
      expect([ownership.holds(), said]).toEqual([false, ["held", "held", "released"]])
      // Messages to the station actor reach the next owner.
      expect(Context.get(context, AirHolding).stationOwner()).toBe("b")
    })
  )

  it.effect("gives it back only when its station actor has ended, and keeps it if that doesn't", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const ownership = new LeasedAir(airLeaseMs, () => clock.currentTimeMillisUnsafe())
      let released = 0
      const context = yield* Layer.build(
        AirHolding.layer({ name: "a" } as ClusterSettings).pipe(
          Layer.provide(
            Layer.mock(AirLease, {
              session: Effect.succeed(1),
              hold: () => Effect.succeed({ owner: "a", sinceMs: 0, reason: null, fence: 1, formerSilentMs: null }),
              find: Effect.succeed({ owner: null, sinceMs: null, reason: null, fence: 1 }),
              release: () => Effect.sync(() => void released++)
            })
          )
        )
      ).pipe(Effect.provideService(CurrentAirOwnership, ownership))
      const holding = Context.get(context, AirHolding)
      holding.noteStation(true)
      expect(holding.stationOwner()).toBe("a")
      const inVain = yield* Effect.forkChild(holding.handOver)
      yield* TestClock.adjust(stationEndMs - 1)
      expect([holding.stationOwner(), ownership.holds(), released]).toEqual([null, true, 0])
      yield* TestClock.adjust(1)
      yield* Fiber.join(inVain)
      yield* TestClock.adjust(2 * airLeaseMs)
      expect([holding.stationOwner(), ownership.holds(), released]).toEqual(["a", true, 0])
      const handingOver = yield* Effect.forkChild(holding.handOver)
      yield* TestClock.adjust(stationEndMs / 2)
      expect([holding.stationOwner(), ownership.holds(), released]).toEqual([null, true, 0])
      holding.noteStation(false)
      yield* Fiber.join(handingOver)
      expect([holding.stationOwner(), ownership.holds(), released]).toEqual([null, false, 1])
    })
  )

  it.effect("keeps it while it stops, if the store does not take it back", () =>
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const ownership = new LeasedAir(airLeaseMs, () => clock.currentTimeMillisUnsafe())
      const scope = yield* Scope.make()
      const context = yield* Layer.build(
        AirHolding.layer({ name: "a" } as ClusterSettings).pipe(
          Layer.provide(
            Layer.mock(AirLease, {
              session: Effect.succeed(1),
              hold: () => Effect.succeed({ owner: "a", sinceMs: 0, reason: null, fence: 1, formerSilentMs: null }),
              release: () => Effect.uninterruptible(Effect.delay(Effect.die("cut"), 60_000))
            })
          )
        )
      ).pipe(Scope.provide(scope), Effect.provideService(CurrentAirOwnership, ownership))
      const handingOver = yield* Effect.forkChild(Context.get(context, AirHolding).handOver)
      yield* TestClock.adjust(airLeasePatienceMs)
      yield* Fiber.join(handingOver)
      expect(ownership.holds()).toBe(true)
      for (let ms = 0; ms < 10_000; ms += 100) yield* TestClock.adjust(100)
      expect(ownership.holds()).toBe(true)
      const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
      yield* TestClock.adjust(airLeasePatienceMs)
      yield* Fiber.join(closing)
      yield* TestClock.adjust(60_000)
    })
  )
})
