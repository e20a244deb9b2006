import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { listenerClaims } from "./ListenerClaims.ts"
import { listenerFollows } from "../social/ListenerFollows.ts"
import { listenerModeration } from "./ListenerModeration.ts"
import { listenerPresence } from "./ListenerPresence.ts"
import { audienceRequests } from "../music/SongRequests.ts"
import { audienceSession } from "./ListenerSession.ts"
import { audienceVotes } from "../music/TrackVotes.ts"
import { behaviours } from "../runtime/Command.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { Audience, type audienceMessages as protocol } from "./protocol/Audience.ts"
import type { Rpc } from "effect/rpc"
import { writeIn, callIn } from "./Messages.ts"
import { forgetMessages } from "./Message.ts"

/** A message as its payload. */
type Sent<Tag extends string> = {
  readonly payload: Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>>
}
/** What listeners write and say. */
export const audienceMessages = (audience: string) => ({
  WriteIn: ({ payload }: Sent<"WriteIn">) => writeIn(audience, payload),
  CallIn: ({ payload }: Sent<"CallIn">) => callIn(audience, payload),
  ForgetMessages: ({ payload }: Sent<"ForgetMessages">) => forgetMessages(payload.humanId)
})
/** One of those who listen: its mailbox is where what it sends and thinks is counted and judged, one after the other. */
export const AudienceLive = Audience.toLayer(
  Effect.gen(function* () {
    const { entityId } = yield* Entity.CurrentAddress
    return Audience.of(
      yield* behaviours(Audience, {
        ...audienceMessages(entityId),
        ...audienceRequests(entityId),
        ...audienceSession,
        ...listenerClaims,
        ...listenerModeration,
        ...audienceVotes,
        ...listenerPresence,
        ...listenerFollows
      })
    )
  }),
  transient
).pipe(Layer.provide(ListenerTokens.layer))
