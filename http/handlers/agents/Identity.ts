import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { createLocalJWKSet, jwtVerify } from "jose"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { identityTokenSec } from "../../../engine/rules/agents/limits.ts"
import { isAudience } from "../../../engine/rules/agents/Identity.ts"
import { Agents } from "../../../engine/store/agents/Agents.ts"
import { Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { type SigningKey, SigningKeys } from "../../../engine/store/agents/SigningKeys.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Forbidden, IdentityTokenRefused, InvalidField } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent, CurrentVerifier } from "../../api/auth/Authorization.ts"
import { IdentityClaims } from "../../api/agents/Identity.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"

/** A public key (RFC 7517). */
export const jwkOf = ({ kid, publicX }: SigningKey) => ({
  kty: "OKP" as const,
  crv: "Ed25519" as const,
  x: publicX,
  kid,
  use: "sig" as const,
  alg: "EdDSA" as const
})

const refused = new IdentityTokenRefused({
  detail:
    "The token is invalid or expired, is for another audience, or its agent has left. Ask the agent for a new one."
})

const claimsOf = Effect.fnUntraced(function* (token: string, audience: string) {
  const { publicUrl } = yield* StationFacts
  const keys = createLocalJWKSet({ keys: (yield* (yield* SigningKeys).all).map(jwkOf) })
  const currentDate = new Date(yield* Clock.currentTimeMillis)
  return yield* Effect.tryPromise(() =>
    jwtVerify(token, keys, { issuer: publicUrl, audience, algorithms: ["EdDSA"], typ: "JWT", currentDate })
  ).pipe(
    Effect.flatMap(({ payload }) => Schema.decodeUnknownEffect(IdentityClaims)(payload)),
    Effect.mapError(() => refused)
  )
})

export const IdentityHandlers = HttpApiBuilder.group(
  Api,
  "identity",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const { publicUrl } = yield* StationFacts
    return handlers.handleAll({
      token: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        const audience = payload?.audience ?? publicUrl
        if (!isAudience(audience, publicUrl)) {
          const detail =
            "must be an https origin, an app's or agent's id, an agent's profile address here, or the station's own address"
          return yield* new InvalidField({
            detail: `/audience: ${detail}`,
            errors: [{ pointer: "/audience", code: "INVALID_FIELD", detail }]
          })
        }
        const { expiresAtMs, identityToken } = yield* send(desk(agent.id).IssueIdentityToken({ audience }))
        const token = {
          tokenType: "JWT" as const,
          audience,
          expiresAt: new Date(expiresAtMs).toISOString(),
          expiresIn: identityTokenSec
        }
        return isDry(query) ? previewAnswer(token, 200) : { identityToken, ...token }
      })
    })
  })
)

export const VerificationHandlers = HttpApiBuilder.group(
  Api,
  "verification",
  Effect.fnUntraced(function* (handlers) {
    const agents = yield* Agents
    const ranks = yield* Ranks
    return handlers.handleAll({
      verify: Effect.fnUntraced(function* ({ payload: { audience, token } }) {
        const { audiences } = yield* CurrentVerifier
        if (!audiences.includes(audience))
          return yield* new Forbidden({
            detail: `You may not verify tokens for ${audience}. Your audiences are: ${audiences.join(", ")}.`
          })
        const claims = yield* claimsOf(token, audience)
        const agent = yield* agents.find(claims.sub)
        if (agent?.status !== "claimed") return yield* refused
        const { displayName, handle, role } = agent.persona
        const { tier } = yield* ranks.find(agent.id)
        return {
          valid: true as const,
          claims,
          agent: { id: agent.id, handle, displayName, role, status: "claimed" as const, tier: `T${tier}` }
        }
      })
    })
  })
)
