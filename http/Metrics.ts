import { Effect, Metric } from "effect"
import { EventBus } from "../actors/runtime/EventBus.ts"
import { CurrentAirOwnership } from "../engine/ports/AirOwnership.ts"

const listeners = Metric.gauge("longwave_listeners", { description: "listeners at the moment, by output" })
const encoderUp = Metric.gauge("longwave_encoder_up", { description: "1 while the encoder of an output runs" })
const runners = Metric.gauge("longwave_runners", { description: "processes of the station that run" })
const airOwner = Metric.gauge("longwave_air_owner", { description: "1 while this process has the air" })
const standbyReady = Metric.gauge("longwave_standby_ready", {
  description: "1 while this process follows the one with the air and could take it without a gap"
})
const standbyLag = Metric.gauge("longwave_standby_lag_seconds", {
  description: "how far this process is behind the clock while it follows; 0 while it doesn't"
})
const onAir = Metric.gauge("longwave_on_air", { description: "1 while the air chain sends" })

/** Measures the air and its listeners for the next scrape. */
export const measureAir = Effect.gen(function* () {
  const bus = yield* EventBus
  const ownership = yield* CurrentAirOwnership
  const { hls, mp3 } = (yield* bus.get("listeners")) ?? { hls: 0, mp3: 0 }
  const status = yield* bus.get("airStatus")
  const standby = yield* bus.get("standby")
  yield* Effect.all(
    [
      Metric.update(Metric.withAttributes(listeners, { output: "hls" }), hls),
      Metric.update(Metric.withAttributes(listeners, { output: "mp3" }), mp3),
      Metric.update(runners, Math.max(1, ((yield* bus.get("processes")) ?? []).length)),
      Metric.update(airOwner, ownership.holds() ? 1 : 0),
      Metric.update(standbyReady, standby?.isReady === true ? 1 : 0),
      Metric.update(standbyLag, (standby?.lagMs ?? 0) / 1_000),
      Metric.update(onAir, status === null ? 0 : 1),
      ...(status?.outputs ?? []).map(({ id, running }) =>
        Metric.update(Metric.withAttributes(encoderUp, { output: id }), running ? 1 : 0)
      )
    ],
    { discard: true }
  )
})
