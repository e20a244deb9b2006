import { Effect, Layer, Metric } from "effect"
import { MusicProviders } from "../../engine/ports/MusicProviders.ts"
import { musicCostUsd } from "../../engine/rules/music/MusicProviders.ts"
import { speechCheckMs } from "../../engine/rules/voices/limits.ts"
import type { MusicProviderState } from "../../schema/music/MusicProvider.ts"
import { EventBus } from "../runtime/EventBus.ts"

const up = Metric.gauge("music_provider_up", {
  description: "1 while the provider takes orders, 0 while it rests after failures"
})
const pieces = Metric.gauge("music_pieces", { description: "pieces since the start, by provider and outcome" })
const cost = Metric.gauge("music_cost_usd", {
  description: "US dollars since the start at the price that the operator stated, by provider"
})

const updateMetrics = Effect.fnUntraced(function* (state: MusicProviderState) {
  const by = { provider: state.id }
  yield* Metric.update(Metric.withAttributes(up, by), state.state === "ready" ? 1 : 0)
  yield* Metric.update(Metric.withAttributes(pieces, { ...by, outcome: "made" }), state.pieces)
  yield* Metric.update(Metric.withAttributes(pieces, { ...by, outcome: "failed" }), state.failures)
  const usd = musicCostUsd(state)
  if (usd !== null) yield* Metric.update(Metric.withAttributes(cost, by), usd)
})

/** Publishes the health of the providers of music, and alerts operators when one rests or takes orders again. */
export const ProviderWatchLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const { all, states } = yield* MusicProviders
    const look = Effect.gen(function* () {
      const before = (yield* bus.get("musicProviders")) ?? []
      const now = yield* states
      yield* bus.put("musicProviders", now)
      for (const { id, lastFailure, name, state } of now) {
        if (state === (before.find((one) => one.id === id)?.state ?? "ready")) continue
        yield* bus.publish({
          _tag: "OpsAlerted",
          what: "music",
          detail:
            state === "ready"
              ? `${name} makes music again.`
              : `${name} is out (${lastFailure?.reason ?? "unknown"}): ${lastFailure?.detail ?? ""} Requests for it wait.`
        })
      }
      return now
    })
    yield* bus.registerMeasure(Effect.flatMap(look, (now) => Effect.forEach(now, updateMetrics, { discard: true })))
    if (all.length > 0) yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(speechCheckMs))))
  })
)
