import { Clock, Context, Effect, Layer, Schema } from "effect"
import * as client from "openid-client"
import { StationConfig } from "./Config.ts"
import { emailCharsMax } from "../rules/agents/limits.ts"
import { openIdRediscoverSec, openIdRetrySec, openIdTimeoutMs } from "../rules/people/limits.ts"

export const OpenIdSlot = Schema.Literals(["a", "b"])
export type OpenIdSlot = typeof OpenIdSlot.Type

/** The provider doesn't answer or refuses the station; the user isn't at fault. */
export class ProviderAway extends Schema.TaggedError<ProviderAway>()("ProviderAway", { detail: Schema.String }) {}

/** The provider's response doesn't allow a sign-in. */
export class SignInRefused extends Schema.TaggedError<SignInRefused>()("SignInRefused", {
  why: Schema.Literals(["cancelled", "stale", "unverified"])
}) {}

/** State kept between the redirect to a provider and the return. */
export interface Attempt {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

/** The provider's identity of a user, with a verified address. */
export interface Identity {
  readonly issuer: string
  readonly subject: string
  readonly email: string
}

const isHere = (issuer: string) => issuer.startsWith("http://")

/** Client authentication: the standard's default unless the provider supports only the other method. */
const proof = (secret: string): client.ClientAuth => {
  const [basic, post] = [client.ClientSecretBasic(secret), client.ClientSecretPost(secret)]
  return (server, ...rest) =>
    ((server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"]).includes("client_secret_basic")
      ? basic
      : post)(server, ...rest)
}

/** Classifies by the standard's error codes. Other faults are logged for operators without the data sent. */
const refusal = (fault: unknown): ProviderAway | SignInRefused => {
  if (fault instanceof client.AuthorizationResponseError) {
    return fault.error === "access_denied"
      ? new SignInRefused({ why: "cancelled" })
      : new ProviderAway({ detail: `it answered ${fault.error}` })
  }
  if (fault instanceof client.ResponseBodyError)
    return fault.error === "invalid_grant"
      ? new SignInRefused({ why: "stale" })
      : new ProviderAway({ detail: `it answered ${fault.error}` })
  const { code, message } = fault as { readonly code?: string; readonly message?: string }
  // State, nonce, signature, audience or time don't match the request.
  if (/^OAUTH_(INVALID_RESPONSE|JWT_|JSON_ATTRIBUTE|KEY_SELECTION)/.test(code ?? ""))
    return new SignInRefused({ why: "stale" })
  return new ProviderAway({ detail: code ?? message ?? "it does not answer" })
}

const askProvider = <A>(ask: () => Promise<A>) => Effect.tryPromise({ try: ask, catch: refusal })

const Claims = Schema.Struct({
  email: Schema.String.check(Schema.isMaxLength(emailCharsMax), Schema.isPattern(/^[^\s@]+@[^\s@]+$/)),
  email_verified: Schema.Union([Schema.Literal(true), Schema.Literal("true")])
})
const decodeClaims = Schema.decodeUnknownOption(Claims)

/** Sign-in by OpenID Connect at each configured provider: code flow with PKCE, state and nonce. */
export class OpenId extends Context.Service<
  OpenId,
  {
    readonly providers: ReadonlyArray<{ readonly slot: OpenIdSlot; readonly label: string }>
    /** The redirect address and the state to keep. */
    readonly begin: (
      slot: OpenIdSlot
    ) => Effect.Effect<{ readonly url: string; readonly attempt: Attempt }, ProviderAway>
    /** `query` is the query string of the browser's return. */
    readonly finish: (
      slot: OpenIdSlot,
      query: string,
      attempt: Attempt
    ) => Effect.Effect<Identity, ProviderAway | SignInRefused>
  }
>()("longwave/engine/OpenId") {
  static readonly layer = Layer.effect(
    OpenId,
    Effect.gen(function* () {
      const config = yield* StationConfig
      const slots = [
        {
          slot: "a" as const,
          issuer: config.oidcAIssuer,
          id: config.oidcAClientId,
          secret: config.oidcAClientSecret,
          label: config.oidcALabel
        },
        {
          slot: "b" as const,
          issuer: config.oidcBIssuer,
          id: config.oidcBClientId,
          secret: config.oidcBClientSecret,
          label: config.oidcBLabel
        }
      ].flatMap(({ id, issuer, label, secret, slot }) =>
        issuer === null || id === null
          ? []
          : [
              {
                slot,
                issuer,
                id,
                secret,
                label: label ?? new URL(issuer).host,
                callback: `${config.publicUrl}/login/${slot}/callback`
              }
            ]
      )

      const known = new Map<
        OpenIdSlot,
        { readonly provider: client.Configuration | null; readonly fault: ProviderAway; readonly atMs: number }
      >()
      const discover = Effect.fnUntraced(function* (slot: OpenIdSlot) {
        const settings = slots.find((each) => each.slot === slot)
        if (settings === undefined) return yield* new ProviderAway({ detail: "it is not configured" })
        const { callback, id, issuer, secret } = settings
        const nowMs = yield* Clock.currentTimeMillis
        const before = known.get(slot)
        const ageMs = nowMs - (before?.atMs ?? 0)
        if (before !== undefined && before.provider === null && ageMs < openIdRetrySec * 1_000)
          return yield* before.fault
        if (before !== undefined && before.provider !== null && ageMs < openIdRediscoverSec * 1_000)
          return { provider: before.provider, callback }
        const provider = yield* askProvider(() =>
          client.discovery(new URL(issuer), id, {}, secret === null ? client.None() : proof(secret), {
            timeout: openIdTimeoutMs / 1_000,
            execute: isHere(issuer) ? [client.allowInsecureRequests] : []
          })
        ).pipe(
          Effect.catch((fault) => {
            const away =
              fault._tag === "ProviderAway"
                ? fault
                : new ProviderAway({ detail: "its published configuration is invalid" })
            // Metadata read shortly before is most likely still valid.
            if (before?.provider != null) return Effect.succeed(before.provider)
            known.set(slot, { provider: null, fault: away, atMs: nowMs })
            return Effect.andThen(
              Effect.logWarning(`the identity provider of slot ${slot.toUpperCase()} can't be used`, away.detail),
              Effect.fail(away)
            )
          })
        )
        known.set(slot, { provider, fault: new ProviderAway({ detail: "" }), atMs: nowMs })
        return { provider, callback }
      })

      return OpenId.of({
        providers: slots.map(({ label, slot }) => ({ slot, label })),
        begin: Effect.fnUntraced(function* (slot) {
          const { callback, provider } = yield* discover(slot)
          const attempt: Attempt = {
            state: client.randomState(),
            nonce: client.randomNonce(),
            verifier: client.randomPKCECodeVerifier()
          }
          const challenge = yield* Effect.promise(() => client.calculatePKCECodeChallenge(attempt.verifier))
          const url = client.buildAuthorizationUrl(provider, {
            redirect_uri: callback,
            scope: "openid email",
            state: attempt.state,
            nonce: attempt.nonce,
            code_challenge: challenge,
            code_challenge_method: "S256"
          })
          return { url: url.href, attempt }
        }),
        finish: Effect.fnUntraced(function* (slot, query, { nonce, state, verifier }) {
          const { callback, provider } = yield* discover(slot)
          const tokens = yield* askProvider(() =>
            client.authorizationCodeGrant(provider, new URL(`${callback}?${query}`), {
              expectedState: state,
              expectedNonce: nonce,
              pkceCodeVerifier: verifier,
              idTokenExpected: true
            })
          ).pipe(
            Effect.tapError((fault) =>
              fault._tag === "ProviderAway"
                ? Effect.logWarning(`the identity provider of slot ${slot.toUpperCase()} let nobody in`, fault.detail)
                : Effect.void
            )
          )
          const { iss, sub, ...claims } = tokens.claims()!
          // Some providers return the address only from the userinfo endpoint.
          const said =
            "email" in claims
              ? claims
              : yield* askProvider(() => client.fetchUserInfo(provider, tokens.access_token, sub))
          const read = decodeClaims(said)
          if (read._tag === "None") return yield* new SignInRefused({ why: "unverified" })
          return { issuer: iss, subject: sub, email: read.value.email.trim().toLowerCase() }
        })
      })
    })
  )
}
