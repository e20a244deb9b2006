import { Effect, Layer } from "effect"
import { audienceReports } from "../moderation/Reports.ts"
import { listenerClaims } from "./ListenerClaims.ts"
import { listenerFollows } from "../social/ListenerFollows.ts"
import { listenerModeration } from "./ListenerModeration.ts"
import { listenerPresence } from "./ListenerPresence.ts"
import { audienceRequests } from "../music/SongRequests.ts"
import { audienceSession } from "./ListenerSession.ts"
import { audienceVotes } from "../music/TrackVotes.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
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
/** Actor of one listener: counts and checks their messages, requests and votes in order. */
export const AudienceLive = statelessLayer(
  Audience,
  Effect.succeed((audience: string) =>
    Audience.of({
      ...audienceMessages(audience),
      ...audienceRequests(audience),
      ...audienceSession,
      ...listenerClaims,
      ...listenerModeration,
      ...audienceVotes,
      ...listenerPresence,
      ...listenerFollows,
      ...audienceReports(audience)
    })
  )
).pipe(Layer.provide(ListenerTokens.layer))
