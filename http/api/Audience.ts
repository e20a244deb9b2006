import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { HumanId, ListenerId } from "../../schema/Ids.ts"
import { Forbidden, ListenerTokenRequired, SignInRequired } from "../../schema/Problems.ts"

/** Whom an account belongs to, as far as others may be told: with it somebody is signed in, without it a guest. */
export interface SignedIn {
  readonly id: HumanId
  readonly displayName: string
}

/** Whose listener token came with the request. A minted token costs nothing: it makes nobody signed in. */
export class CurrentListener extends Context.Service<CurrentListener, {
  readonly listenerId: ListenerId
  readonly human: SignedIn | null
}>()("longwave/http/api/CurrentListener") {}

/** A listener's token: `Authorization: Bearer`, `x-listener-token`, or the cookie, in this order. An agent's key is refused. */
export class ListenerAuth extends HttpApiMiddleware.Service<ListenerAuth, { provides: CurrentListener }>()("longwave/http/api/ListenerAuth", {
  error: [ListenerTokenRequired, Forbidden]
}) {}

/** Who sends something in: a listener, a guest without a token, or whoever sent a token that is no good, who is a guest as well. */
export class CurrentAudience extends Context.Service<CurrentAudience, {
  readonly listenerId: ListenerId | null
  readonly human: SignedIn | null
  /** The address under a key of the station, an IPv6 one as its /64: what limits for guests go by. */
  readonly addressHash: string
  /** Whose limits count, and which `Audience` is spoken to: the account where there is one, else the address. */
  readonly audience: string
}>()("longwave/http/api/CurrentAudience") {}

/** For public operations that a listener's token makes more of. */
export class Audiences extends HttpApiMiddleware.Service<Audiences, { provides: CurrentAudience }>()("longwave/http/api/Audiences", { error: [Forbidden] }) {}

/** Whose session's cookie came with the request. */
export class CurrentHuman extends Context.Service<CurrentHuman, SignedIn & { readonly sessionId: string }>()("longwave/http/api/CurrentHuman") {}

/** The cookie of a person's session. What changes something must come from a page of our own. */
export class HumanAuth extends HttpApiMiddleware.Service<HumanAuth, { provides: CurrentHuman }>()("longwave/http/api/HumanAuth", {
  error: [SignInRequired, Forbidden]
}) {}
