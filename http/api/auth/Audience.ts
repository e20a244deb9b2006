import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { HumanId, ListenerId } from "../../../schema/Ids.ts"
import { Forbidden, ListenerTokenRequired, RateLimited, SignInRequired } from "../../../schema/Problems.ts"

/** Public identity of an account: present if signed in, absent for guests. */
export interface SignedIn {
  readonly id: HumanId
  readonly displayName: string
}

/** The listener token of the request. Anyone can get a token, so it doesn't count as signed in. */
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

/** The valid token, as sent. */
export interface ShownToken {
  readonly text: string
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** The sender: a listener, or a guest without a valid token. */
export class CurrentAudience extends Context.Service<
  CurrentAudience,
  {
    readonly listenerId: ListenerId | null
    readonly human: SignedIn | null
    /** Keyed hash of the address (IPv6: its /64), for guests' limits. */
    readonly addressHash: string
    /** Holder of the limits and key of the `Audience` actor: the account if there is one, else the address. */
    readonly audience: string
    readonly token: ShownToken | null
    /** Whether the answer may set a cookie: requests from other origins must not replace it. */
    readonly mayKeepCookie: boolean
    /** The signed-in account; read only when a listener is created. */
    readonly session: SignedIn | null
  }
>()("longwave/http/api/CurrentAudience") {}

/** For public operations that give more to callers with a listener token. */
export class Audiences extends HttpApiMiddleware.Service<Audiences, { provides: CurrentAudience }>()(
  "longwave/http/api/Audiences",
  { error: [Forbidden] }
) {}

/** Refuses callers without a call left before it reads their recording: receiving 12 MiB only to refuse them costs more than the refusal. */
export class CallsLeft extends HttpApiMiddleware.Service<CallsLeft, { requires: CurrentAudience }>()(
  "longwave/http/api/CallsLeft",
  { error: [RateLimited] }
) {}

/** The same as `Audiences`, but creates a listener for callers without a valid token, limited per address and hour. */
export class Mints extends HttpApiMiddleware.Service<Mints, { provides: CurrentAudience }>()(
  "longwave/http/api/Mints",
  { error: [Forbidden, RateLimited] }
) {}

/** The listener cookie. Browsers keep the prefixed name for this host only, and only over TLS. */
export const listenerCookies = ["__Host-listener", "listener"] as const
export const listenerCookie = (publicUrl: string): string => listenerCookies[publicUrl.startsWith("https://") ? 0 : 1]

/** The account of the session cookie. */
export class CurrentHuman extends Context.Service<CurrentHuman, SignedIn & { readonly sessionId: string }>()(
  "longwave/http/api/CurrentHuman"
) {}

/** The cookie of a person's session. Writes must come from the station's own pages. */
export class HumanAuth extends HttpApiMiddleware.Service<HumanAuth, { provides: CurrentHuman }>()(
  "longwave/http/api/HumanAuth",
  {
    error: [SignInRequired, Forbidden]
  }
) {}
