import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { type ReasonDomain, reasons, type Sentiment } from "../../engine/rules/Reasons.ts"
import { InvalidDomain } from "../../schema/Problems.ts"
import { Api } from "../api/Api.ts"

const listed = (domain: ReasonDomain, sentiment: Sentiment) => Object.entries(reasons[domain][sentiment]).map(([code, label]) => ({ code, label }))
const catalogOf = (domain: ReasonDomain) => ({ domain, positive: listed(domain, "positive"), negative: listed(domain, "negative") })
const domains = Object.keys(reasons) as ReadonlyArray<ReasonDomain>

export const FeedbackReasonsHandlers = HttpApiBuilder.group(Api, "feedbackReasons", (handlers) => handlers.handleAll({
  reasons: Effect.fnUntraced(function*({ query }) {
    if (query.domain === undefined) return { version: "1" as const, domains: domains.map(catalogOf) }
    const domain = domains.find((each) => each === query.domain)
    return domain === undefined ? yield* new InvalidDomain({ detail: `domain is one of ${domains.join(", ")}.` }) : { version: "1" as const, ...catalogOf(domain) }
  })
}))
