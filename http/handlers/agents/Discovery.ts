import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SigningKeys } from "../../../engine/store/agents/SigningKeys.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Scope } from "../../../schema/agents/Agent.ts"
import { Api } from "../../api/Api.ts"
import { jwkOf } from "./Identity.ts"

const resourceOf = (base: string, name: string) => ({
  resource: base,
  resource_name: name,
  resource_logo_uri: `${base}/logo.svg`,
  authorization_servers: [base],
  scopes_supported: Scope.literals,
  bearer_methods_supported: ["header"],
  jwks_uri: `${base}/.well-known/jwks.json`,
  resource_documentation: `${base}/docs`,
  resource_policy_uri: `${base}/rules.md`,
  resource_tos_uri: `${base}/terms`
})

/** Each field under the contract's name, then under the convention's names. */
const credentialTypes = ["apiKey", "api_key"]
const assertionTypes = ["email", "verified_email"]

const registrationOf = (base: string) => {
  const [register, start, verify, complete] = ["register", "claim/start", "claim/verify-otp", "claim/complete"].map(
    (path) => `${base}/api/v1/agents/${path}`
  ) as [string, string, string, string]
  const claim = { credential_types_supported: credentialTypes, claim_uri: start, claim_complete_uri: complete }
  return {
    skill: `${base}/auth.md`,
    register_uri: register,
    registration_endpoint: register,
    identity_endpoint: register,
    claim_uri: start,
    claim_endpoint: start,
    claim_verify_uri: verify,
    claim_complete_uri: complete,
    revocation_uri: `${base}/api/v1/agents/me`,
    identity_types_supported: ["anonymous", "identity_assertion"],
    credential_types_supported: credentialTypes,
    assertion_types_supported: assertionTypes,
    anonymous: claim,
    identity_assertion: { ...claim, assertion_types_supported: assertionTypes, claim_verify_uri: verify }
  }
}

export const DiscoveryHandlers = HttpApiBuilder.group(
  Api,
  "discovery",
  Effect.fnUntraced(function* (handlers) {
    const { name, publicUrl } = yield* StationFacts
    const signingKeys = yield* SigningKeys
    const resource = resourceOf(publicUrl, name)
    return handlers.handleAll({
      resource: () => Effect.succeed(resource),
      server: () =>
        Effect.succeed({
          issuer: publicUrl,
          ...resource,
          service_documentation: `${publicUrl}/auth.md`,
          response_types_supported: [],
          grant_types_supported: [],
          agent_auth: registrationOf(publicUrl)
        }),
      keys: () => Effect.map(signingKeys.all, (keys) => ({ keys: keys.map(jwkOf) }))
    })
  })
)
