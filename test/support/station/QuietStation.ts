import { Effect } from "effect"
import { Station } from "../../../actors/air/protocol.ts"

const nobody = Effect.die(new Error("there is no programme in this world"))

/** A station without a programme: it plans nothing, so segments find no place, and other commands on the air fail. */
export const QuietStation = Station.toLayer(
  Effect.sync(() =>
    Station.of({
      ...Object.fromEntries([...Station.protocol.requests.keys()].map((name) => [name, () => nobody])),
      PlaceRequests: () => Effect.void,
      Recheck: () => Effect.void,
      Enqueue: () => Effect.succeed(null),
      Withdraw: () => Effect.succeed(false),
      TakeOff: () => Effect.succeed(false)
    } as never)
  )
)
