import { describe, expect, it } from "@effect/vitest"
import { Cause, Deferred, Effect, Exit, Fiber } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { TestClock } from "effect/testing"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { MailboxFull, makeMailbox } from "../../../actors/runtime/Mailbox.ts"

describe("a mailbox", () => {
  it.effect("refuses messages beyond its capacity at once, with a retry hint, and serves the others in order", () =>
    Effect.gen(function* () {
      const box = yield* makeMailbox("test", 3)
      const gate = yield* Deferred.make<void>()
      const served: Array<number> = []
      const step = (n: number) =>
        Effect.andThen(
          Deferred.await(gate),
          Effect.sync(() => served.push(n))
        )
      const asked = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.forkChild(box.ask(step(n)), { startImmediately: true })
      )
      const refused = yield* Effect.exit(box.ask(step(4)))
      expect(Exit.isFailure(refused) && Cause.squash(refused.cause)).toBeInstanceOf(MailboxFull)
      expect(yield* box.tell(step(5))).toBe(false)
      const serving = yield* Effect.forkChild(box.serve)
      yield* Deferred.succeed(gate, undefined)
      yield* Effect.forEach(asked, Fiber.join)
      expect(served).toEqual([1, 2, 3])
      expect(yield* box.ask(Effect.succeed("served again"))).toBe("served again")
      yield* Fiber.interrupt(serving)
    }).pipe(Effect.provide(EventBus.layer))
  )

  it.effect("reports its state even while a step is stuck", () =>
    Effect.gen(function* () {
      const { measure } = yield* EventBus
      const seen = Effect.gen(function* () {
        yield* measure
        const lines = (yield* PrometheusMetrics.format()).split("\n").filter((line) => line.includes('actor="stuck"'))
        const value = (name: string) =>
          Number(
            lines
              .find((line) => line.startsWith(`${name}{`))
              ?.split(" ")
              .at(-1)
          )
        return {
          depth: value("actor_mailbox_depth"),
          oldest: value("actor_mailbox_oldest_seconds"),
          handled: value("actor_handling_seconds_count"),
          spent: value("actor_handling_seconds_sum")
        }
      })
      yield* Effect.scoped(
        Effect.gen(function* () {
          const box = yield* makeMailbox("stuck", 8)
          expect(yield* seen).toMatchObject({ depth: 0, oldest: 0 })
          const gate = yield* Deferred.make<void>()
          yield* Effect.forkScoped(box.serve)
          yield* box.tell(Deferred.await(gate))
          yield* TestClock.adjust("30 seconds")
          yield* box.tell(Effect.void)
          yield* box.tell(Effect.die("a defect"))
          yield* TestClock.adjust("12 seconds")
          expect(yield* seen).toMatchObject({ depth: 2, oldest: 42 })
          yield* Deferred.succeed(gate, undefined)
          yield* TestClock.adjust(0)
          expect(yield* seen).toEqual({ depth: 0, oldest: 0, handled: 3, spent: 42 })
        })
      )
    }).pipe(Effect.provide(EventBus.layer))
  )
})
