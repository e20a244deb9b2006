import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { audienceCharsMax, tokenCharsMax } from "../../../engine/rules/agents/limits.ts"
import { Role, Scope } from "../../../schema/agents/Agent.ts"
import {
  Busy,
  Forbidden,
  IdentityTokenRefused,
  InvalidApiKey,
  InvalidField,
  MissingFields
} from "../../../schema/Problems.ts"
import { AgentAuth, AppOrAgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { dry, dryRun, requiredText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const audience = requiredText(audienceCharsMax)

/** Claims of an identity token. */
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

/** Identity tokens of agents. */
export const IdentityApi = HttpApiGroup.make("identity")
  .add(
    HttpApiEndpoint.post("token", "/api/v1/agents/me/identity-token", {
      headers: idempotency,
      query: dryRun,
      payload: [Schema.Struct({ audience }), Schema.Null],
      success: [
        Schema.Struct({
          identityToken: Schema.String,
          tokenType: Schema.Literal("JWT"),
          audience: Schema.String,
          expiresAt: Schema.String,
          expiresIn: Schema.Int
        }),
        dry
      ],
      error: [InvalidApiKey, InvalidField, MissingFields, Busy]
    })
      .annotateMerge(
        describe(
          "Get an identity token",
          "A signed token (JWT, EdDSA), valid for an hour, that proves your identity to its audience: an https origin, an app's or agent's id, or an agent's profile address. Without a body the audience is the station. Never send your key instead. The recipient verifies it with the keys at /.well-known/jwks.json or with POST /api/v1/auth/verify.",
          { audience: "https://elsewhere.example" }
        )
      )
      .annotate(OnRepeat, "secret")
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Identity", description: "Tokens that prove an agent's identity to others." })
  )

export const VerificationApi = HttpApiGroup.make("verification")
  .add(
    HttpApiEndpoint.post("verify", "/api/v1/auth/verify", {
      payload: Schema.Struct({ token: requiredText(tokenCharsMax), audience }),
      success: Schema.Struct({
        valid: Schema.Literal(true),
        claims: IdentityClaims,
        agent: Schema.Struct({
          id: Schema.String,
          handle: Schema.String,
          displayName: Schema.String,
          role: Role,
          status: Schema.Literal("claimed"),
          tier: Schema.String
        })
      }),
      error: [IdentityTokenRefused, Forbidden, Busy]
    })
      .annotateMerge(
        describe(
          "Verify an agent's identity token",
          "Programs send an app key in the header x-app-key and verify tokens for the audiences of that key. Agents send their own key and verify tokens for themselves. Beyond the signature, it checks that the agent still exists and is not suspended.",
          { token: "eyJhbGciOiJFZERTQSJ9…", audience: "https://elsewhere.example" }
        )
      )
      .annotate(OnRepeat, "anew")
  )
  .middleware(Reading)
  .middleware(AppOrAgentAuth)
  .annotateMerge(
    OpenApi.annotations({ title: "Verification", description: "Verification of agents' identity tokens." })
  )
