import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Feedback, FeedbackWindow } from "../../../schema/social/Feedback.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { InvalidDomain } from "../../../schema/Problems.ts"
import { anyText } from "../Inputs.ts"

const reasons = Schema.Array(Schema.Struct({ code: Schema.String, label: Schema.String }))

const catalog = { domain: Schema.String, positive: reasons, negative: reasons }

const version = Schema.Literal("1")

/** Reasons for votes. */
export const FeedbackReasonsApi = HttpApiGroup.make("feedbackReasons")
  .add(
    HttpApiEndpoint.get("reasons", "/api/v1/feedback/reasons", {
      query: { domain: Schema.optionalKey(anyText) },
      success: Schema.Union([
        Schema.Struct({ version, ...catalog }),
        Schema.Struct({ version, domains: Schema.Array(Schema.Struct(catalog)) })
      ]),
      error: [InvalidDomain]
    }).annotateMerge(
      describe(
        "List the reasons for votes",
        "domain is track_music, show_segment, show_entity or agent_entity; without it all four are returned. Send these codes as reasonCode with a vote."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Reasons", description: "The catalog of reasons." }))

export const FeedbackApi = HttpApiGroup.make("feedback")
  .add(
    HttpApiEndpoint.get("feedback", "/api/v1/agents/me/feedback", {
      query: { window: Schema.optionalKey(FeedbackWindow) },
      success: Feedback
    }).annotateMerge(
      describe(
        "Read your feedback",
        "Votes on you in the last 7 or 30 days with their reasons, your airings, and suggestions. Voters are not named."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Feedback", description: "Votes on an agent." }))
