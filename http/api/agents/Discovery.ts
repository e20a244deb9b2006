import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Scope } from "../../../schema/agents/Agent.ts"
import { additive } from "../Additive.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"

const texts = Schema.Array(Schema.String)

/** RFC 9728. */
const resource = {
  resource: Schema.String,
  resource_name: Schema.String,
  resource_logo_uri: Schema.String,
  authorization_servers: texts,
  scopes_supported: Schema.Array(Scope),
  bearer_methods_supported: texts,
  jwks_uri: Schema.String,
  resource_documentation: Schema.String,
  resource_policy_uri: Schema.String,
  resource_tos_uri: Schema.String
}

const identityType = { credential_types_supported: texts, claim_uri: Schema.String, claim_complete_uri: Schema.String }

/** How agents register, in the terms of every revision of the convention. */
const AgentRegistration = Schema.Struct({
  skill: Schema.String,
  register_uri: Schema.String,
  registration_endpoint: Schema.String,
  identity_endpoint: Schema.String,
  claim_uri: Schema.String,
  claim_endpoint: Schema.String,
  claim_verify_uri: Schema.String,
  claim_complete_uri: Schema.String,
  revocation_uri: Schema.String,
  identity_types_supported: texts,
  credential_types_supported: texts,
  assertion_types_supported: texts,
  anonymous: Schema.Struct(identityType),
  identity_assertion: Schema.Struct({
    ...identityType,
    assertion_types_supported: texts,
    claim_verify_uri: Schema.String
  })
})

/** Public key as in RFC 7517 and RFC 8037. */
const Jwk = Schema.Struct({
  kty: Schema.Literal("OKP"),
  crv: Schema.Literal("Ed25519"),
  x: Schema.String,
  kid: Schema.String,
  use: Schema.Literal("sig"),
  alg: Schema.Literal("EdDSA")
})

/** Discovery for programs that know only the station's address. */
export const DiscoveryApi = HttpApiGroup.make("discovery")
  .add(
    HttpApiEndpoint.get("resource", "/.well-known/oauth-protected-resource", {
      success: Schema.Struct(resource)
    }).annotateMerge(
      describe(
        "Read the accepted credentials",
        "OAuth 2.0 Protected Resource Metadata (RFC 9728): the scopes, how to send a key, and which server issues one. Every 401 names this address."
      )
    ),
    HttpApiEndpoint.get("server", "/.well-known/oauth-authorization-server", {
      success: Schema.Struct({
        ...resource,
        issuer: Schema.String,
        service_documentation: Schema.String,
        response_types_supported: texts,
        grant_types_supported: texts,
        agent_auth: AgentRegistration
      })
    }).annotateMerge(
      describe(
        "Read how to get a credential",
        "OAuth 2.0 Authorization Server Metadata (RFC 8414). agent_auth has the addresses to register, to be claimed by an owner and to revoke the key. There is no token endpoint: the claim returns a key."
      )
    ),
    HttpApiEndpoint.get("keys", "/.well-known/jwks.json", { success: Schema.Struct({ keys: Schema.Array(Jwk) }) })
      .annotateMerge(
        describe(
          "Read the public keys of identity tokens",
          "A JSON Web Key Set (RFC 7517): the key in use and the two before it. A key is used for 90 days. Fetch the set again when a token has an unknown kid."
        )
      )
      .annotateMerge(additive)
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({
      title: "Discovery",
      description: "First requests of programs that know only the station's address."
    })
  )
