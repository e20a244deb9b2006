import { describe, expect, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { SoleStation } from "../../../../engine/store/sql/SoleStation.ts"
import { TestConfig } from "../../../support/agents/OnboardingWorld.ts"
import { makeDatabase } from "../../../support/sql/Postgres.ts"

/** Its result. The test clock runs at ten times real time, and no faster: the database connects in real time within a limit of seconds. */
const whileTimePasses = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const fiber = yield* Effect.forkChild(effect)
  while (fiber.pollUnsafe() === undefined) {
    yield* TestClock.adjust(10)
    yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1)))
  }
  return yield* Fiber.await(fiber)
})

describe("a database of one station", () => {
  it.effect("refuses a second station, also after its wait, and accepts it once the first has stopped", () =>
    Effect.gen(function* () {
      const url = yield* makeDatabase()
      const begun = Layer.build(SoleStation.pipe(Layer.provide(TestConfig({ DATABASE_URL: Redacted.value(url) }))))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* begun
          const refused = yield* whileTimePasses(Effect.scoped(begun))
          expect(Exit.isFailure(refused) && String(refused.cause)).toMatch(
            /DATABASE_URL is the database of a station that runs/
          )
        })
      )
      // The server releases the lock shortly after the connection has ended.
      expect(yield* whileTimePasses(Effect.scoped(begun))).toMatchObject({ _tag: "Success" })
    })
  )

  it.effect("is shared by processes with the settings of a cluster, and refused to one without them", () =>
    Effect.gen(function* () {
      const url = yield* makeDatabase()
      const begin = (settings: Record<string, string>) =>
        Layer.build(SoleStation.pipe(Layer.provide(TestConfig({ DATABASE_URL: Redacted.value(url), ...settings }))))
      const cluster = { CLUSTER_HOST: "127.0.0.1", CLUSTER_SECRET: "a secret of the processes of a station" }
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* begin(cluster)
          yield* begin(cluster)
          const refused = yield* whileTimePasses(Effect.scoped(begin({})))
          expect(Exit.isFailure(refused) && String(refused.cause)).toMatch(
            /set CLUSTER_HOST and CLUSTER_SECRET for both/
          )
        })
      )
    })
  )
})
