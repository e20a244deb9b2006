import { Effect, Schema } from "effect"
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify, type JWTVerifyGetKey, SignJWT } from "jose"
import type { KeyObject } from "node:crypto"
import { ListenerId } from "../../schema/Ids.ts"
import { tokenCharsMax } from "../rules/agents/limits.ts"
import { listenerTokenDays, listenerTokenRenewDays } from "../rules/listeners/limits.ts"

/** Separates listener tokens from other tokens signed with the same keys. */
const typ = "listener+jwt"
const audience = "listener"
const daySec = 86_400

const Claims = Schema.Struct({ sub: ListenerId, gen: Schema.Int, iat: Schema.Finite, exp: Schema.Finite })
const decode = Schema.decodeUnknownEffect(Claims)

/** Claims of a valid token. */
export interface ListenerClaims {
  readonly listenerId: ListenerId
  readonly gen: number
  readonly issuedAtMs: number
  readonly expiresAtMs: number
}

/** The published keys from the store. */
export const keysFor = (
  published: ReadonlyArray<{ readonly kid: string; readonly publicX: string }>
): JWTVerifyGetKey =>
  createLocalJWKSet({
    keys: published.map(({ kid, publicX }) => ({
      kty: "OKP",
      crv: "Ed25519",
      x: publicX,
      kid,
      use: "sig",
      alg: "EdDSA"
    }))
  })

/** Whether the token names one of these keys as its signer. */
export const isSignedWith = (token: string, kids: ReadonlySet<string>): boolean => {
  try {
    return kids.has(decodeProtectedHeader(token).kid ?? "")
  } catch {
    // A malformed token needs no key.
    return true
  }
}

/** Null for every token that isn't a valid listener token of this station. */
export const readListenerToken = (
  token: string,
  keys: JWTVerifyGetKey,
  issuer: string,
  nowMs: number
): Effect.Effect<ListenerClaims | null> =>
  token.length > tokenCharsMax
    ? Effect.succeed(null)
    : Effect.tryPromise(() =>
        jwtVerify(token, keys, { issuer, audience, algorithms: ["EdDSA"], typ, currentDate: new Date(nowMs) })
      ).pipe(
        Effect.flatMap(({ payload }) => decode(payload)),
        Effect.map(({ exp, gen, iat, sub }) => ({
          listenerId: sub,
          gen,
          issuedAtMs: iat * 1_000,
          expiresAtMs: exp * 1_000
        })),
        Effect.catch(() => Effect.succeed(null))
      )

export const signListenerToken = (
  signing: { readonly kid: string; readonly privateKey: KeyObject },
  issuer: string,
  of: { readonly listenerId: string; readonly gen: number; readonly jti: string },
  nowMs: number
) => {
  const iat = Math.floor(nowMs / 1_000)
  const exp = iat + listenerTokenDays * daySec
  return Effect.map(
    Effect.promise(() =>
      new SignJWT({ gen: of.gen })
        .setProtectedHeader({ alg: "EdDSA", typ, kid: signing.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setSubject(of.listenerId)
        .setJti(of.jti)
        .setIssuedAt(iat)
        .setExpirationTime(exp)
        .sign(signing.privateKey)
    ),
    (token) => ({ token, expiresAtMs: exp * 1_000 })
  )
}

/** Whether the token is old enough to be renewed. */
export const isDue = ({ issuedAtMs }: Pick<ListenerClaims, "issuedAtMs">, nowMs: number): boolean =>
  nowMs - issuedAtMs > listenerTokenRenewDays * daySec * 1_000
