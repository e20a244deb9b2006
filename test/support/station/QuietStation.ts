import { Effect } from "effect"
import { Station } from "../../../actors/air/protocol.ts"

const nobody = Effect.die(new Error("there is no programme in this world"))

/** A station without a programme: it plans nothing, so segments find no place, and other commands on the air fail. `over` answers in its place. */
export const quietStation = (over: Readonly<Record<string, unknown>> = {}) =>
  Station.toLayer(
    Effect.sync(() =>
      Station.of({
        ...Object.fromEntries([...Station.protocol.requests.keys()].map((name) => [name, () => nobody])),
        PlaceRequests: () => Effect.void,
        Recheck: () => Effect.void,
        Enqueue: () => Effect.succeed(null),
        Withdraw: () => Effect.succeed(false),
        TakeOff: () => Effect.succeed(false),
        Recall: () => Effect.succeed("absent"),
        RecallTrack: () => Effect.succeed("absent"),
        ...over
      } as never)
    )
  )
export const QuietStation = quietStation()
