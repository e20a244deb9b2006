import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { type Elsewhere, post, type Scenes, type Successes } from "./Scene.ts"

const token = "/api/v1/agents/me/identity-token"
const verify = "/api/v1/auth/verify"
const resource = "/.well-known/oauth-protected-resource"
const server = "/.well-known/oauth-authorization-server"

let count = 0
const audience = "https://tides.example"

/** A program that may ask about tokens for `audience`. */
export const app = Effect.fnUntraced(function* (audiences: ReadonlyArray<string> = [audience]) {
  const { body } = yield* post("/api/ops/app-keys", { name: `Tides ${++count}`, audiences }, yield* operator("admin"))
  return { id: body.appKey.id as string, key: body.secret as string }
})

/** A token of a new agent. */
export const tokenFor = Effect.fnUntraced(function* (whom: string) {
  const agent = yield* arrive()
  const { body } = yield* post(token, { audience: whom }, agent.key)
  return { ...agent, token: body.identityToken as string }
})

const askToVerify = (body: unknown) =>
  Effect.flatMap(app(), ({ key }) => post(verify, body, undefined, { "x-app-key": key }))

/** 4.1: identity tokens, their verification, discovery. */
export const credentials: Scenes = {
  [`POST ${token}`]: {
    INVALID_JSON: Effect.flatMap(arrive(), ({ key }) => post(token, "{", key)),
    MISSING_FIELDS: Effect.flatMap(arrive(), ({ key }) => post(token, {}, key)),
    INVALID_API_KEY: post(token)
  },
  [`POST ${verify}`]: {
    INVALID_JSON: askToVerify("{"),
    MISSING_FIELDS: askToVerify({}),
    INVALID_APP_KEY: post(verify, { token: "a.b.c", audience }),
    INVALID_TOKEN: askToVerify({ token: "a.b.c", audience })
  },
  [`GET ${resource}`]: {},
  [`GET ${server}`]: {}
}

export const credentialsElsewhere: Elsewhere = {}

export const credentialsSuccesses: Successes = {
  [`POST ${token}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => post(token, undefined, key)),
    fields: ["identityToken", "tokenType", "audience", "expiresAt", "expiresIn"]
  },
  [`POST ${verify}`]: {
    ask: Effect.flatMap(tokenFor(audience), ({ token }) => askToVerify({ token, audience })),
    fields: [
      "valid",
      "claims.sub",
      "claims.aud",
      "claims.exp",
      "agent.id",
      "agent.handle",
      "agent.displayName",
      "agent.role",
      "agent.status",
      "agent.tier"
    ]
  },
  [`GET ${resource}`]: {
    ask: call("GET", resource),
    fields: [
      "resource",
      "resource_logo_uri",
      "authorization_servers",
      "scopes_supported",
      "bearer_methods_supported",
      "jwks_uri",
      "resource_documentation"
    ]
  },
  [`GET ${server}`]: {
    ask: call("GET", server),
    fields: [
      "issuer",
      "resource",
      "resource_logo_uri",
      "authorization_servers",
      "scopes_supported",
      "bearer_methods_supported",
      "jwks_uri",
      "response_types_supported",
      "grant_types_supported",
      ...[
        "register_uri",
        "claim_uri",
        "claim_verify_uri",
        "claim_complete_uri",
        "revocation_uri",
        "identity_types_supported",
        "anonymous.credential_types_supported",
        "identity_assertion.credential_types_supported",
        "assertion_types_supported"
      ].map((field) => `agent_auth.${field}`)
    ]
  }
}
