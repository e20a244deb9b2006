import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { audienceClaims } from "./AudienceClaims.ts"
import { audienceFollows } from "./AudienceFollows.ts"
import { audienceModeration } from "./AudienceModeration.ts"
import { audiencePresence } from "./AudiencePresence.ts"
import { audienceMessages } from "./AudienceMessages.ts"
import { audienceRequests } from "./AudienceRequests.ts"
import { audienceSession } from "./AudienceSession.ts"
import { audienceVotes } from "./AudienceVotes.ts"
import { CallBell } from "./CallBell.ts"
import { countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { Audience } from "./protocol/Audience.ts"

/** One of those who listen: its mailbox is where what it sends and thinks is counted and judged, one after the other. */
export const AudienceLive = Audience.toLayer(Effect.gen(function*() {
  const { entityId } = yield* Entity.CurrentAddress
  return Audience.of(countedAll("Audience", { ...audienceMessages(entityId), ...audienceRequests(entityId), ...audienceSession, ...audienceClaims, ...audienceModeration, ...audienceVotes, ...audiencePresence, ...audienceFollows }))
}), transient).pipe(Layer.provide([ListenerTokens.layer, CallBell.layer]))
