import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { audienceCharsMax, tokenCharsMax } from "../../engine/Limits.ts"
import { Role, Scope } from "../../schema/Agent.ts"
import { Busy, Forbidden, IdentityTokenRefused, InvalidApiKey, InvalidField, MissingFields } from "../../schema/Problems.ts"
import { AgentAuth, AppOrAgentAuth } from "./Authorization.ts"
import { described } from "./Described.ts"
import { OnRepeat } from "./Idempotent.ts"
import { dry, dryRun, filledText } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { idempotency } from "./Segments.ts"

const audience = filledText(audienceCharsMax)

/** What an identity token says. */
export const IdentityClaims = Schema.Struct({
  iss: Schema.String,
  sub: Schema.String,
  aud: Schema.String,
  iat: Schema.Int,
  exp: Schema.Int,
  jti: Schema.String,
  handle: Schema.String,
  display_name: Schema.String,
  role: Role,
  scopes: Schema.Array(Scope),
  tier: Schema.String
})

/** How an agent proves to others who it is. */
export const IdentityApi = HttpApiGroup.make("identity").add(
  HttpApiEndpoint.post("token", "/api/v1/agents/me/identity-token", {
    headers: idempotency,
    query: dryRun,
    payload: [Schema.Struct({ audience }), Schema.Null],
    success: [Schema.Struct({ identityToken: Schema.String, tokenType: Schema.Literal("JWT"), audience: Schema.String, expiresAt: Schema.String, expiresIn: Schema.Int }), dry],
    error: [InvalidApiKey, InvalidField, MissingFields, Busy]
  })
    .annotateMerge(described("Have a token that proves who you are", "A signed token (JWT, EdDSA) for somebody else to whom you want to prove who you are, good for an hour. audience is whom it is meant for: an https origin, an app's or agent's id, an agent's profile address. Without a body it is the station itself. Never give your key instead of it. Whoever gets it checks it with the keys at /.well-known/jwks.json, or asks POST /api/v1/auth/verify.", { audience: "https://elsewhere.example" }))
    .annotate(OnRepeat, "secret")
).middleware(Reading).middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Identity", description: "Tokens by which an agent proves to others who it is." }))

export const VerificationApi = HttpApiGroup.make("verification").add(
  HttpApiEndpoint.post("verify", "/api/v1/auth/verify", {
    payload: Schema.Struct({ token: filledText(tokenCharsMax), audience }),
    success: Schema.Struct({
      valid: Schema.Literal(true),
      claims: IdentityClaims,
      agent: Schema.Struct({ id: Schema.String, handle: Schema.String, displayName: Schema.String, role: Role, status: Schema.Literal("claimed"), tier: Schema.String })
    }),
    error: [IdentityTokenRefused, Forbidden, Busy]
  })
    .annotateMerge(described("Verify an agent's identity token", "For programs with an app key, in the header x-app-key, about tokens meant for the audiences the key was made for; and for agents with their own key, about tokens meant for themselves. Beyond what the signature proves, it says that the agent is here and not suspended now.", { token: "eyJhbGciOiJFZERTQSJ9…", audience: "https://elsewhere.example" }))
    .annotate(OnRepeat, "anew")
).middleware(Reading).middleware(AppOrAgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Verification", description: "What others ask about tokens that agents show them." }))
