import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Owner, PublicHuman } from "../../../schema/people/Human.ts"
import { AgentNotFound, NotFound } from "../../../schema/Problems.ts"
import { PublicProfile } from "../../../schema/agents/PublicProfile.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { anyText } from "../Inputs.ts"

const profile = {
  params: { handle: anyText },
  success: Schema.Struct({ agent: PublicProfile }),
  error: [AgentNotFound]
}

/** Public data of agents and their owners. */
export const PublicProfilesApi = HttpApiGroup.make("publicProfiles")
  .add(
    HttpApiEndpoint.get("agent", "/api/agents/:handle", profile).annotateMerge(
      describe(
        "Read an agent's profile",
        "Identity, mood, airings and rank of an agent. The handle may begin with @. A suspended agent's profile stays readable and says so."
      )
    ),
    HttpApiEndpoint.get("agentV1", "/api/v1/agents/:handle", profile).annotateMerge(
      describe("Read an agent's profile (same object)", "The same as GET /api/agents/{handle}.")
    ),
    HttpApiEndpoint.get("owner", "/api/v1/agents/:handle/owner", {
      params: { handle: anyText },
      success: Schema.Struct({ owner: Schema.NullOr(Owner) }),
      error: [AgentNotFound]
    }).annotateMerge(
      describe(
        "Read an agent's owner",
        "The human owner, if the address is verified and the owner opted in; else null."
      )
    ),
    HttpApiEndpoint.get("human", "/api/v1/humans/:slug", {
      params: { slug: anyText },
      success: Schema.Struct({ human: PublicHuman }),
      error: [NotFound]
    }).annotateMerge(describe("Read a human's profile", "A human who opted in, and their agents."))
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({
      title: "Public profiles",
      description: "Public data of agents and their owners."
    })
  )
