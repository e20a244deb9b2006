import { Clock, Effect, Layer, Stream } from "effect"
import { Air } from "../../engine/ports/Air.ts"
import { CurrentAirOwnership } from "../../engine/ports/AirOwnership.ts"
import { EventBus } from "../runtime/EventBus.ts"

/** Passes the levels of the programme on to the operators' meters. */
export const MeterFeedLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const air = yield* Air
    const { logs } = yield* EventBus
    const ownership = yield* CurrentAirOwnership
    yield* Effect.forkScoped(
      Stream.runForEach(air.meters, (reading) =>
        Effect.map(Clock.currentTimeMillis, (nowMs) => {
          if (ownership.holds()) logs.meters.append("meters", reading, nowMs)
        })
      )
    )
  })
)
