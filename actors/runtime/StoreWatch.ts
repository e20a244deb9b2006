import { Effect, Fiber, Layer, Metric } from "effect"
import { storeCheckMs } from "../../engine/rules/runtime/limits.ts"
import { StoreHealth } from "../../engine/store/sql/StoreHealth.ts"
import { EventBus } from "./EventBus.ts"

const up = Metric.gauge("store_up", { description: "1 while the store answers" })

/** Polls the store and alerts operators when it stops or starts answering. */
export const StoreWatchLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const health = yield* StoreHealth
    const note = Effect.fnUntraced(function* (answers: boolean) {
      const before = yield* bus.get("store")
      yield* bus.put("store", answers)
      yield* Metric.update(up, answers ? 1 : 0)
      if (answers === (before ?? true)) return
      yield* bus.publish({
        _tag: "OpsAlerted",
        what: "store",
        detail: answers
          ? "The store answers again."
          : "The store does not answer. Commands are refused; the planned programme continues."
      })
    })
    const look = Effect.gen(function* () {
      const asked = yield* Effect.forkChild(health.answers)
      const soon = yield* Effect.timeoutOption(Fiber.join(asked), 2 * storeCheckMs)
      if (soon._tag === "None") yield* note(false)
      yield* note(yield* Fiber.join(asked))
      yield* Effect.sleep(storeCheckMs)
    })
    yield* Effect.forkScoped(Effect.forever(look))
  })
)
