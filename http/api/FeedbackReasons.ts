import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidDomain } from "../../schema/Problems.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"

const reasons = Schema.Array(Schema.Struct({ code: Schema.String, label: Schema.String }))
const catalog = { domain: Schema.String, positive: reasons, negative: reasons }
const version = Schema.Literal("1")

/** Why something may be liked or not. */
export const FeedbackReasonsApi = HttpApiGroup.make("feedbackReasons").add(
  HttpApiEndpoint.get("reasons", "/api/v1/feedback/reasons", {
    query: { domain: Schema.optionalKey(Schema.String) },
    success: Schema.Union([Schema.Struct({ version, ...catalog }), Schema.Struct({ version, domains: Schema.Array(Schema.Struct(catalog)) })]),
    error: [InvalidDomain]
  }).annotateMerge(described("List the reasons for votes", "domain is track_music, show_segment, show_entity or agent_entity; without it all four come. The codes are what reasonCode takes with a vote."))
).middleware(Reading).annotateMerge(OpenApi.annotations({ title: "Reasons", description: "The catalog of reasons." }))
