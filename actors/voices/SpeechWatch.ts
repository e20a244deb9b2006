import { Effect, Layer, Metric } from "effect"
import { Speech } from "../../engine/ports/Speech.ts"
import { speechCheckMs } from "../../engine/rules/voices/limits.ts"
import { costUsd } from "../../engine/rules/voices/SpeechEngines.ts"
import type { SpeechEngineState } from "../../schema/voices/Speech.ts"
import { EventBus } from "../runtime/EventBus.ts"

const up = Metric.gauge("speech_engine_up", {
  description: "1 while the engine speaks, 0 while it rests after failures"
})
const scripts = Metric.gauge("speech_scripts", { description: "scripts since the start, by engine and outcome" })
const characters = Metric.gauge("speech_characters", { description: "characters spoken since the start, by engine" })
const cost = Metric.gauge("speech_cost_usd", {
  description: "US dollars since the start at the price that the operator stated, by engine"
})

const updateMetrics = Effect.fnUntraced(function* (state: SpeechEngineState) {
  const by = { engine: state.name }
  yield* Metric.update(Metric.withAttributes(up, by), state.state === "ready" ? 1 : 0)
  yield* Metric.update(Metric.withAttributes(scripts, { ...by, outcome: "spoken" }), state.scripts)
  yield* Metric.update(Metric.withAttributes(scripts, { ...by, outcome: "failed" }), state.failures)
  yield* Metric.update(Metric.withAttributes(characters, by), state.characters)
  const usd = costUsd(state)
  if (usd !== null) yield* Metric.update(Metric.withAttributes(cost, by), usd)
})

/** Publishes the health of the speech engines, and alerts operators when a configured one fails or speaks again. */
export const SpeechWatchLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const bus = yield* EventBus
    const { engines } = yield* Speech
    const look = Effect.gen(function* () {
      const before = (yield* bus.get("speechEngines")) ?? []
      const now = yield* engines
      yield* bus.put("speechEngines", now)
      for (const { lastFailure, name, state } of now) {
        if (state === (before.find((one) => one.name === name)?.state ?? "ready")) continue
        yield* bus.publish({
          _tag: "OpsAlerted",
          what: "speech",
          detail:
            state === "ready"
              ? `The speech engine ${name} speaks again.`
              : `The speech engine ${name} is out (${lastFailure?.reason ?? "unknown"}): ${lastFailure?.detail ?? ""} The next engine of its chain speaks.`
        })
      }
      return now
    })
    yield* bus.registerMeasure(Effect.flatMap(look, (now) => Effect.forEach(now, updateMetrics, { discard: true })))
    yield* Effect.forkScoped(Effect.forever(Effect.andThen(look, Effect.sleep(speechCheckMs))))
  })
)
