import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { JWTVerifyGetKey } from "jose"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { listenerKeysSec, listenerSeenEveryMs } from "../../engine/rules/listeners/limits.ts"
import { isSignedWith, keysFor, readListenerToken } from "../../engine/runtime/ListenerToken.ts"
import { Audience } from "../../actors/listeners/protocol/Audience.ts"
import { Listeners } from "../../engine/store/listeners/Listeners.ts"
import { SigningKeys } from "../../engine/store/agents/SigningKeys.ts"
import type { Listener } from "../../schema/listeners/Listener.ts"
import { Forbidden } from "../../schema/Problems.ts"
import { listenerCookie, type ShownToken, type SignedIn } from "../api/auth/Audience.ts"
import { isForeignPage, isSameOrigin } from "./SameOrigin.ts"
import { sendLater } from "../../actors/runtime/protocol.ts"

interface Shown {
  readonly listener: (Pick<Listener, "id"> & { readonly human: SignedIn | null }) | null
  readonly token: ShownToken | null
}

const nobody: Shown = { listener: null, token: null }

/** Cached public keys. A token with an unknown key id triggers a reload, because a new key signs before it is announced. */
const makeKeyring = Effect.gen(function* () {
  const store = yield* SigningKeys
  let kids: ReadonlySet<string> = new Set()
  let keys: JWTVerifyGetKey | null = null
  let readAtMs = 0
  return Effect.fnUntraced(function* (token: string, nowMs: number) {
    if (keys !== null && nowMs - readAtMs < listenerKeysSec * 1_000 && isSignedWith(token, kids)) return keys
    const published = yield* store.all
    kids = new Set(published.map(({ kid }) => kid))
    readAtMs = nowMs
    return (keys = keysFor(published))
  })
})

/** The token in the contract's order, and whether it came as a cookie. */
const tokenOf = ({ cookies, headers }: HttpServerRequest.HttpServerRequest, cookie: string) => {
  const header = headers["authorization"]?.replace(/^Bearer\s+/i, "") ?? headers["x-listener-token"]
  return header === undefined ? { text: cookies[cookie] ?? "", byCookie: true } : { text: header, byCookie: false }
}

/**
 * The listener of the request; null without a valid token. One query finds out whether it was voided, its account, and
 * whether either is blocked.
 */
export const makeListenerGate = Effect.gen(function* () {
  const audiences = yield* Audience.client
  const listeners = yield* Listeners
  const keysOf = yield* makeKeyring
  const { publicUrl } = yield* StationConfig
  const cookie = listenerCookie(publicUrl)

  /** `changesNothing` tells, by the token's age, that the operation would only read. */
  return Effect.fnUntraced(function* (
    request: HttpServerRequest.HttpServerRequest,
    changesNothing: (token: Pick<ShownToken, "issuedAtMs">, nowMs: number) => boolean = () => false
  ) {
    const { byCookie, text } = tokenOf(request, cookie)
    if (text.startsWith("svc_agent_"))
      return yield* new Forbidden({
        detail: "This operation is for listeners. An agent's key is for the agents' operations."
      })
    if (text === "") return nobody
    const nowMs = yield* Clock.currentTimeMillis
    const claims = yield* readListenerToken(text, yield* keysOf(text, nowMs), publicUrl, nowMs)
    const found = claims === null ? null : yield* listeners.find(claims.listenerId)
    if (claims === null || found === null || found.gen !== claims.gen) return nobody
    const isAccepted =
      !byCookie ||
      isSameOrigin(request, publicUrl) ||
      (!isForeignPage(request, publicUrl) && changesNothing(claims, nowMs))
    if (!isAccepted)
      return yield* new Forbidden({
        detail: "With the cookie, changes are only taken from the station's own pages. Elsewhere send x-listener-token."
      })
    if (found.blockedReason !== null)
      return yield* new Forbidden({
        detail: `The station's operators blocked this listener: ${found.blockedReason}`
      })
    if (nowMs - found.seenAtMs > listenerSeenEveryMs)
      yield* sendLater(audiences(found.id).Seen({ listenerId: found.id, atMs: nowMs }))
    const human = found.humanId === null ? null : { id: found.humanId, displayName: found.displayName ?? "" }
    const shown: Shown = {
      listener: { id: found.id, human },
      token: { text, issuedAtMs: claims.issuedAtMs, expiresAtMs: claims.expiresAtMs }
    }
    return shown
  })
})
