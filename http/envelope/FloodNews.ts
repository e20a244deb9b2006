import { Clock, Effect, Layer } from "effect"
import { EventBus } from "../../actors/runtime/EventBus.ts"
import { rateKeysToldMax, rateToldMs } from "../../engine/rules/http/limits.ts"
import { clusterOf, StationConfig } from "../../engine/runtime/Config.ts"
import { Flood } from "./Flood.ts"

/** Counts requests over all processes of a station: each tells the others every `rateToldMs` what it has counted. */
export const FloodNews = Layer.effectDiscard(
  Effect.gen(function* () {
    if (clusterOf(yield* StationConfig) === null) return
    const { peers } = yield* EventBus
    const limits = (yield* Flood).share()
    peers.onRequests((spent) => Effect.map(Clock.currentTimeMillis, (nowMs) => limits.addSpent(spent, nowMs)))
    const tell = Effect.sync(() => {
      const spent = limits.takeUntold(rateKeysToldMax)
      if (Object.keys(spent).length > 0) peers.tell({ _tag: "Requests", spent })
    })
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(rateToldMs), tell)))
  })
)
