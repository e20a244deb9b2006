import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { HumanId, ListenerId } from "../../../schema/Ids.ts"
import { Forbidden, ListenerTokenRequired, RateLimited, SignInRequired } from "../../../schema/Problems.ts"

/** Whom an account belongs to, as far as others may be told: with it somebody is signed in, without it a guest. */
export interface SignedIn {
  readonly id: HumanId
  readonly displayName: string
}

/** Whose listener token came with the request. A minted token costs nothing: it makes nobody signed in. */
export class CurrentListener extends Context.Service<
  CurrentListener,
  {
    readonly listenerId: ListenerId
    readonly human: SignedIn | null
    /** As in `CurrentAudience`. */
    readonly addressHash: string
  }
>()("longwave/http/api/CurrentListener") {}

/** A listener's token: `Authorization: Bearer`, `x-listener-token`, or the cookie, in this order. An agent's key is refused. */
export class ListenerAuth extends HttpApiMiddleware.Service<ListenerAuth, { provides: CurrentListener }>()(
  "longwave/http/api/ListenerAuth",
  {
    error: [ListenerTokenRequired, Forbidden]
  }
) {}

/** A good token, as it was shown. */
export interface ShownToken {
  readonly text: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** Who sends something in: a listener, a guest without a token, or whoever sent a token that is no good, who is a guest as well. */
export class CurrentAudience extends Context.Service<
  CurrentAudience,
  {
    readonly listenerId: ListenerId | null
    readonly human: SignedIn | null
    /** The address under a key of the station, an IPv6 one as its /64: what limits for guests go by. */
    readonly addressHash: string
    /** Whose limits count, and which `Audience` is spoken to: the account where there is one, else the address. */
    readonly audience: string
    readonly token: ShownToken | null
    /** Whether an answer may put a cookie there: what a page of somebody else's asked for must not replace what a browser holds. */
    readonly mayKeepCookie: boolean
    /** Whose account's session came along; asked only where a listener is made. */
    readonly session: SignedIn | null
  }
>()("longwave/http/api/CurrentAudience") {}

/** For public operations that a listener's token makes more of. */
export class Audiences extends HttpApiMiddleware.Service<Audiences, { provides: CurrentAudience }>()(
  "longwave/http/api/Audiences",
  { error: [Forbidden] }
) {}

/** The same where a new listener is made of whoever shows no good token: an address may have so many of them in an hour. */
export class Mints extends HttpApiMiddleware.Service<Mints, { provides: CurrentAudience }>()(
  "longwave/http/api/Mints",
  { error: [Forbidden, RateLimited] }
) {}

/** The cookie of a listener. Browsers keep the prefixed one for this host alone, and only over TLS. */
export const listenerCookies = ["__Host-listener", "listener"] as const
export const listenerCookie = (publicUrl: string): string => listenerCookies[publicUrl.startsWith("https://") ? 0 : 1]

/** Whose session's cookie came with the request. */
export class CurrentHuman extends Context.Service<CurrentHuman, SignedIn & { readonly sessionId: string }>()(
  "longwave/http/api/CurrentHuman"
) {}

/** The cookie of a person's session. What changes something must come from a page of our own. */
export class HumanAuth extends HttpApiMiddleware.Service<HumanAuth, { provides: CurrentHuman }>()(
  "longwave/http/api/HumanAuth",
  {
    error: [SignInRequired, Forbidden]
  }
) {}
