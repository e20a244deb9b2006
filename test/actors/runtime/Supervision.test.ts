import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber, Ref } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { restartsInWindowMax } from "../../../engine/rules/runtime/limits.ts"
import { ActorTree, supervise, superviseForEver } from "../../../actors/runtime/Supervision.ts"

describe("supervision", () => {
  it.effect("restarts a child after every crash, including defects, and escalates after repeated ones", () =>
    Effect.gen(function* () {
      const begun = yield* Ref.make(0)
      const child = Effect.flatMap(
        Ref.updateAndGet(begun, (n) => n + 1),
        (n) => (n % 2 === 0 ? Effect.die(new Error("a defect")) : Effect.fail("a failure"))
      )
      const fiber = yield* Effect.forkChild(Effect.flip(supervise("child", child)))
      yield* TestClock.adjust("60 seconds")
      expect(yield* Fiber.join(fiber)).toMatchObject({
        _tag: "Escalated",
        actor: "child",
        restarts: restartsInWindowMax + 1
      })
      expect(yield* Ref.get(begun)).toBe(restartsInWindowMax + 1)
    }).pipe(Effect.provide(ActorTree.layer))
  )

  it.effect("counts restarts from zero, so that the first one is visible as a rise", () =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(supervise("steady", Effect.never))
      yield* TestClock.adjust(0)
      const lines = (yield* PrometheusMetrics.format()).split("\n")
      for (const line of [
        'actor_up{actor="steady"} 1',
        'actor_restarts_total{actor="steady"} 0',
        'actor_started_at_seconds{actor="steady"} 0'
      ])
        expect(lines).toContain(line)
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(ActorTree.layer))
  )

  it.effect("survives minutes without a store where there is no parent to escalate to", () =>
    Effect.gen(function* () {
      const away = yield* Ref.make(true)
      const rounds = yield* Ref.make(0)
      const child = Effect.forever(
        Effect.gen(function* () {
          if (yield* Ref.get(away)) return yield* Effect.die(new Error("the store is away"))
          yield* Ref.update(rounds, (n) => n + 1)
          yield* Effect.sleep("15 seconds")
        })
      )
      const fiber = yield* Effect.forkChild(superviseForEver("reader", 15_000, child))
      yield* TestClock.adjust("10 minutes")
      expect(yield* Ref.get(rounds)).toBe(0)
      yield* Ref.set(away, false)
      yield* TestClock.adjust("2 minutes")
      expect(yield* Ref.get(rounds)).toBeGreaterThan(5)
      const node = (yield* (yield* ActorTree).nodes).find(({ name }) => name === "reader")
      expect(node).toMatchObject({ state: "running" })
      yield* Fiber.interrupt(fiber)
    }).pipe(Effect.provide(ActorTree.layer))
  )
})
