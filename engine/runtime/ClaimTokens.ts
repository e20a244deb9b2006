import { Context, Effect, Layer, Schema } from "effect"
import { jwtVerify, SignJWT } from "jose"
import { StationConfig } from "./Config.ts"
import { Keys } from "./Keys.ts"
import { claimTokenHours } from "../rules/agents/limits.ts"

const Claims = Schema.Struct({ sub: Schema.String, email: Schema.String, jti: Schema.String, exp: Schema.Finite })
type Claims = typeof Claims.Type

const typ = "claim+jwt"

/** Signed token of a registration with a mail address. The address is encrypted, because tokens get copied around. */
export class ClaimTokens extends Context.Service<
  ClaimTokens,
  {
    readonly issue: (agentId: string, email: string, jti: string, atMs: number) => Effect.Effect<string>
    /** Null for a foreign or expired token. */
    readonly read: (
      token: string,
      atMs: number
    ) => Effect.Effect<{
      readonly agentId: string
      readonly email: string
      readonly jti: string
      readonly expiresAtMs: number
    } | null>
  }
>()("longwave/engine/runtime/ClaimTokens") {
  static readonly layer = Layer.effect(
    ClaimTokens,
    Effect.gen(function* () {
      const { publicUrl } = yield* StationConfig
      const keys = yield* Keys
      return ClaimTokens.of({
        issue: (agentId, email, jti, atMs) =>
          Effect.promise(() =>
            new SignJWT({ email_hash: keys.hmac("owner-email", email), email: keys.seal(email, agentId) })
              .setProtectedHeader({ alg: "EdDSA", typ })
              .setIssuer(publicUrl)
              .setAudience("claim")
              .setSubject(agentId)
              .setJti(jti)
              .setIssuedAt(Math.floor(atMs / 1_000))
              .setExpirationTime(Math.floor(atMs / 1_000) + claimTokenHours * 3_600)
              .sign(keys.signing)
          ),
        read: (token, atMs) =>
          Effect.tryPromise(() =>
            jwtVerify(token, keys.verifying, {
              audience: "claim",
              issuer: publicUrl,
              typ,
              algorithms: ["EdDSA"],
              currentDate: new Date(atMs)
            })
          ).pipe(
            Effect.flatMap(({ payload }): Effect.Effect<Claims, Schema.SchemaError> =>
              Schema.decodeUnknownEffect(Claims)(payload)
            ),
            Effect.flatMap((claims) =>
              Effect.try(() => ({
                agentId: claims.sub,
                email: keys.open(claims.email, claims.sub),
                jti: claims.jti,
                expiresAtMs: claims.exp * 1_000
              }))
            ),
            Effect.orElseSucceed(() => null)
          )
      })
    })
  )
}
