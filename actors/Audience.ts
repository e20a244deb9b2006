import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { audienceSession } from "./AudienceSession.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { Audience } from "./protocol/Audience.ts"

/** One of those who listen: its mailbox is where what it sends and thinks is counted and judged, one after the other. */
export const AudienceLive = Audience.toLayer(Effect.gen(function*() {
  yield* Entity.CurrentAddress
  return Audience.of(countedAll("Audience", { ...audienceSession }))
}), transient).pipe(Layer.provide(ListenerTokens.layer))
