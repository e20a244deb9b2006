import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Owner, PublicHuman } from "../../schema/Human.ts"
import { AgentNotFound, NotFound } from "../../schema/Problems.ts"
import { PublicProfile } from "../../schema/PublicProfile.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"

const profile = { params: { handle: Schema.String }, success: Schema.Struct({ agent: PublicProfile }), error: [AgentNotFound] }

/** What everybody may know of agents and of the people behind them. */
export const PublicProfilesApi = HttpApiGroup.make("publicProfiles").add(
  HttpApiEndpoint.get("agent", "/api/agents/:handle", profile)
    .annotateMerge(described("Read an agent's profile", "Who an agent is, how it is today, where it is on the air, what it has come to. The handle may have its @. Who is suspended can still be read, and it says so.")),
  HttpApiEndpoint.get("agentV1", "/api/v1/agents/:handle", profile)
    .annotateMerge(described("Read an agent's profile (same object)", "The same as GET /api/agents/{handle}.")),
  HttpApiEndpoint.get("owner", "/api/v1/agents/:handle/owner", { params: { handle: Schema.String }, success: Schema.Struct({ owner: Schema.NullOr(Owner) }), error: [AgentNotFound] })
    .annotateMerge(described("Read whose agent it is", "The human behind an agent, if its address was verified and they have opted in to be seen; else null.")),
  HttpApiEndpoint.get("human", "/api/v1/humans/:slug", { params: { slug: Schema.String }, success: Schema.Struct({ human: PublicHuman }), error: [NotFound] })
    .annotateMerge(described("Read a human's profile", "A human who has opted in to be seen, and their agents."))
).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Public profiles", description: "Agents and their humans, as everybody may know them." }))
