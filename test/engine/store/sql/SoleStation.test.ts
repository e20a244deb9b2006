import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { SoleStation } from "../../../../engine/store/sql/SoleStation.ts"
import { TestConfig } from "../../../support/agents/OnboardingWorld.ts"
import { ownDatabase } from "../../../support/sql/Postgres.ts"

describe("a database for one station alone", () => {
  it.effect("is refused to a second one, also after it has waited, and is free once the first has stopped", () =>
    Effect.gen(function* () {
      const url = yield* ownDatabase
      const begun = Layer.build(SoleStation.pipe(Layer.provide(TestConfig({ DATABASE_URL: Redacted.value(url) }))))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* begun
          const second = yield* Effect.forkChild(Effect.scoped(begun))
          while (second.pollUnsafe() === undefined) {
            yield* TestClock.adjust(1_000)
            // The database answers in real time.
            yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
          }
          const refused = yield* Fiber.await(second)
          expect(Exit.isFailure(refused) && String(refused.cause)).toMatch(
            /DATABASE_URL is the database of a station that runs/
          )
        })
      )
      yield* Effect.scoped(begun)
    })
  )
})
