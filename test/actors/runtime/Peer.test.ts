import { it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { RunnerAddress, RunnerStorage, ShardId } from "effect/cluster"
import { TestClock } from "effect/testing"
import { describe, expect } from "vitest"
import { withRunnersSeen } from "../../../actors/runtime/Peer.ts"
import { shardAskMs, shardLeaseRenewMs } from "../../../engine/rules/runtime/limits.ts"

const here = RunnerAddress.make("10.0.0.1", 34_431)
const shards = [1, 2, 3].map((n) => ShardId.make("default", n))

/** Asks for the leases of three shards; `answers` are the numbers of those that the store has to give, one request after the other. */
const ask = Effect.fnUntraced(function* (answers: ReadonlyArray<number>) {
  const asked: Array<number> = []
  const store = RunnerStorage.RunnerStorage.of({
    ...(yield* RunnerStorage.makeMemory),
    acquire: (_, wanted) =>
      Effect.sync(() => {
        asked.push([...wanted].length)
        return shards.slice(0, answers[Math.min(asked.length, answers.length) - 1])
      })
  })
  const storage = yield* Effect.provide(
    RunnerStorage.RunnerStorage,
    withRunnersSeen.pipe(Layer.provide(Layer.succeed(RunnerStorage.RunnerStorage, store)))
  )
  const taking = yield* Effect.forkChild(storage.acquire(here, shards))
  return { asked, taking, isDone: Effect.sync(() => taking.pollUnsafe() !== undefined) }
})

describe("leases of shards", () => {
  it.effect("are taken at once when nobody holds them", () =>
    Effect.gen(function* () {
      const { asked, taking } = yield* ask([3])
      expect((yield* Fiber.join(taking)).length).toBe(3)
      expect(asked).toEqual([3])
    })
  )

  it.effect("are asked for again until their dead owner has lost them", () =>
    Effect.gen(function* () {
      const { asked, isDone, taking } = yield* ask([0, 0, 0, 3])
      yield* TestClock.adjust(3 * shardAskMs - 1)
      expect([asked.length, yield* isDone]).toEqual([3, false])
      yield* TestClock.adjust(1)
      expect([(yield* Fiber.join(taking)).length, asked.length]).toEqual([3, 4])
      expect(4 * shardAskMs).toBeLessThan(shardLeaseRenewMs)
    })
  )

  it.effect(
    "are taken together while their owner gives them back one after the other, but not waited for once it stops",
    () =>
      Effect.gen(function* () {
        const { asked, taking } = yield* ask([1, 2, 2])
        yield* TestClock.adjust(2 * shardAskMs)
        expect([(yield* Fiber.join(taking)).length, asked.length]).toEqual([2, 3])
      })
  )
})
