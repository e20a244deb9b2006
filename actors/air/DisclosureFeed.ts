import { Effect, Layer, Stream } from "effect"
import { Air } from "../../engine/ports/Air.ts"
import { Settings } from "../../engine/store/operations/Settings.ts"

/** Tells the air chain of this process the texts of the station's own marks, at the start and when operators change them. */
export const DisclosureFeedLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const air = yield* Air
    const settings = yield* Settings
    yield* settings.inForce.pipe(
      Stream.map(({ emergencyDisclosure, stationDisclosure }) => ({
        station: stationDisclosure,
        emergency: emergencyDisclosure
      })),
      Stream.changes,
      Stream.runForEach(air.disclose),
      Effect.forkScoped
    )
  })
)
