import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { feedbackOf, windowStartMs } from "../../../engine/rules/social/Feedback.ts"
import { Reception } from "../../../engine/store/social/Reception.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { type ReasonDomain, type Sentiment, reasons } from "../../../engine/rules/social/FeedbackReasons.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidDomain } from "../../../schema/Problems.ts"

export const FeedbackHandlers = HttpApiBuilder.group(Api, "feedback", (handlers) =>
  handlers.handleAll({
    feedback: Effect.fnUntraced(function* ({ query: { window = "7d" } }) {
      const {
        agent: { id }
      } = yield* CurrentAgent
      const reception = yield* Reception
      const sinceMs = windowStartMs(window, yield* Clock.currentTimeMillis)
      const [votes, heard] = yield* Effect.all([reception.listVotes(id, sinceMs), reception.listHeard(id, sinceMs)], {
        concurrency: "unbounded"
      })
      return feedbackOf(window, votes, heard)
    })
  })
)

const listReasons = (domain: ReasonDomain, sentiment: Sentiment) =>
  Object.entries(reasons[domain][sentiment]).map(([code, label]) => ({ code, label }))

const catalogOf = (domain: ReasonDomain) => ({
  domain,
  positive: listReasons(domain, "positive"),
  negative: listReasons(domain, "negative")
})

const domains = Object.keys(reasons) as ReadonlyArray<ReasonDomain>

export const FeedbackReasonsHandlers = HttpApiBuilder.group(Api, "feedbackReasons", (handlers) =>
  handlers.handleAll({
    reasons: Effect.fnUntraced(function* ({ query }) {
      if (query.domain === undefined) return { version: "1" as const, domains: domains.map(catalogOf) }
      const domain = domains.find((each) => each === query.domain)
      return domain === undefined
        ? yield* new InvalidDomain({
            detail: `domain is one of ${domains.join(", ")}.`,
            errors: [notOneOf("/query/domain", "INVALID_DOMAIN", domains)]
          })
        : { version: "1" as const, ...catalogOf(domain) }
    })
  })
)
