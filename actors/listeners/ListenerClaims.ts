import { Clock, Effect } from "effect"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { isDue, keysFor, readListenerToken } from "../../engine/runtime/ListenerToken.ts"
import { ListenerDaysWriter } from "../../engine/store/listeners/ListenerDays.ts"
import { ListenersWriter } from "../../engine/store/listeners/Listeners.ts"
import { SigningKeys } from "../../engine/store/agents/SigningKeys.ts"
import type { HumanId, ListenerId } from "../../schema/Ids.ts"
import type { Listener } from "../../schema/listeners/Listener.ts"
import { Forbidden, ListenerAlreadyClaimed, ListenerTokenRequired } from "../../schema/Problems.ts"
import { ListenerTokens } from "./ListenerTokens.ts"
import { command } from "../runtime/Command.ts"
import { weighAnew } from "../music/TrackInfluence.ts"
import { mergeVotes } from "../music/inTransaction.ts"
import { renameFollower } from "../social/inTransaction.ts"

interface Claim {
  readonly listenerId: string
  readonly token: string
  readonly humanId: HumanId
}

const notTheirs = new ListenerTokenRequired({
  detail: "listenerToken is not a valid token of that listener. POST /api/listeners/session returns yours."
})

/** Moves the listener's history to the account: the newer vote wins, days are added. */
const mergeInto = Effect.fnUntraced(function* (listenerId: ListenerId, humanId: HumanId) {
  yield* (yield* ListenerDaysWriter).merge({ listenerId, humanId })
  yield* renameFollower({ type: "listener", id: listenerId }, { type: "listener", id: humanId })
  // Sorted, so that two claims can't deadlock.
  yield* Effect.forEach(yield* mergeVotes(listenerId, humanId), weighAnew, { discard: true })
})

/** The listener that the token proves. The owning account may repeat the claim with the former token. */
const provenOf = Effect.fnUntraced(function* ({ humanId, listenerId, token }: Claim, nowMs: number) {
  const { publicUrl } = yield* StationConfig
  const claims = yield* readListenerToken(token, keysFor(yield* (yield* SigningKeys).all), publicUrl, nowMs)
  const listener = claims?.listenerId === listenerId ? yield* (yield* ListenersWriter).lock(listenerId) : null
  if (claims === null || listener === null || (listener.gen !== claims.gen && listener.humanId !== humanId))
    return yield* notTheirs
  if (listener.humanId !== null && listener.humanId !== humanId)
    return yield* new ListenerAlreadyClaimed({
      detail:
        "This listener belongs to another account. Sign in there, or get a new token from POST /api/listeners/session."
    })
  if (listener.blockedReason !== null)
    return yield* new Forbidden({
      detail: `The station's operators blocked this listener: ${listener.blockedReason}`
    })
  return { claims, listener }
})

const link = Effect.fnUntraced(function* (listener: Listener, humanId: HumanId, nowMs: number) {
  const listeners = yield* ListenersWriter
  yield* listeners.link(listener.id, humanId, nowMs)
  yield* mergeInto(listener.id, humanId)
  return listener.gen + 1
})

const claim = Effect.fnUntraced(function* (asked: Claim) {
  return yield* command({
    run: Effect.gen(function* () {
      const nowMs = yield* Clock.currentTimeMillis
      const { claims, listener } = yield* provenOf(asked, nowMs)
      if (listener.humanId !== null && listener.gen === claims.gen && !isDue(claims, nowMs))
        return { listenerId: listener.id, token: asked.token, expiresAtMs: claims.expiresAtMs }
      const gen = listener.humanId === null ? yield* link(listener, asked.humanId, nowMs) : listener.gen
      return { listenerId: listener.id, ...(yield* (yield* ListenerTokens).issue(listener.id, gen, nowMs)) }
    })
  })
})

/** Handler of claims of a listener by an account. */
export const listenerClaims = {
  Claim: ({ payload }: { readonly payload: Claim }) => claim(payload)
}
