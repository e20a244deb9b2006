import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { feedbackOf, windowStartMs } from "../../engine/rules/Feedback.ts"
import { Reception } from "../../engine/store/Reception.ts"
import { Api } from "../api/Api.ts"
import { CurrentAgent } from "../api/Authorization.ts"

export const FeedbackHandlers = HttpApiBuilder.group(Api, "feedback", (handlers) => handlers.handleAll({
  feedback: Effect.fn(function*({ query: { window = "7d" } }) {
    const { agent: { id } } = yield* CurrentAgent
    const reception = yield* Reception
    const sinceMs = windowStartMs(window, yield* Clock.currentTimeMillis)
    const [votes, heard] = yield* Effect.all([reception.votes(id, sinceMs), reception.heard(id, sinceMs)])
    return feedbackOf(window, votes, heard)
  })
}))
