import { Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { audienceReports } from "../moderation/Reports.ts"
import { listenerClaims } from "./ListenerClaims.ts"
import { listenerFollows } from "../social/ListenerFollows.ts"
import { listenerModeration } from "./ListenerModeration.ts"
import { listenerPresence } from "./ListenerPresence.ts"
import { audienceRequests } from "../music/SongRequests.ts"
import { audienceSession } from "./ListenerSession.ts"
import { audienceVotes } from "../music/TrackVotes.ts"
import { behaviours } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { Audience, type audienceMessages as protocol } from "./protocol/Audience.ts"
import type { Rpc } from "effect/rpc"
import { writeIn, callIn } from "./Messages.ts"
import { forgetMessages } from "./Message.ts"

/** The payload of one message. */
type Sent<Tag extends string> = {
  readonly payload: Rpc.Payload<Extract<(typeof protocol)[number], { readonly _tag: Tag }>>
}
/** Handlers of listeners' messages and calls. */
export const audienceMessages = (audience: string) => ({
  WriteIn: ({ payload }: Sent<"WriteIn">) => writeIn(audience, payload),
  CallIn: ({ payload }: Sent<"CallIn">) => callIn(audience, payload),
  ForgetMessages: ({ payload }: Sent<"ForgetMessages">) => forgetMessages(payload.humanId)
})
/** Actor of one listener. Its mailbox counts and checks their messages, requests and votes in order. */
export const AudienceLive = actorLayer(
  Audience,
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
        ...listenerFollows,
        ...audienceReports(entityId)
      })
    )
  }),
  transient
).pipe(Layer.provide(ListenerTokens.layer))
