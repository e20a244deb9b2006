import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Audience } from "../../actors/protocol/Audience.ts"
import { Interactions } from "../../engine/store/Interactions.ts"
import { Interaction } from "../../schema/Interaction.ts"
import { NotFound } from "../../schema/Problems.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { isDry } from "../api/Inputs.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { limitOf } from "../api/Segments.ts"
import { send } from "../Send.ts"
import { following, unknownCursor, wouldBe } from "./Commands.ts"
import { messagesForOps } from "./MessageViews.ts"

export const messageFound = Effect.fnUntraced(function*(id: string) {
  const found = yield* (yield* Interactions).find(id)
  return found ?? (yield* new NotFound({ detail: `There is no message ${id}.` }))
})

export const MessagesForOpsHandlers = HttpApiBuilder.group(OpsApi, "messagesForOps", Effect.fn(function*(handlers) {
  const audience = yield* Audience.client
  return handlers.handleAll({
    messages: Effect.fn(function*({ query }) {
      const { moderationStatus, type } = Interaction.fields
      const page = yield* (yield* Interactions).list({
        types: query.type === undefined ? type.literals : [query.type], statuses: query.status === undefined ? moderationStatus.literals : [query.status], limit: limitOf(query), cursor: query.cursor ?? null
      })
      if (page === null) return yield* unknownCursor
      return { messages: yield* messagesForOps(page.records), ...following(page.next) }
    }),
    transcript: Effect.fn(function*({ params, payload, query }) {
      const found = yield* messageFound(params.id)
      const act = { actor: (yield* CurrentOperator).name, reason: payload.reason ?? null }
      yield* send(audience(found.id).WriteDown({ interactionId: found.id, transcript: payload.transcript, dryRun: isDry(query), ...act }))
      const [message] = yield* messagesForOps([yield* messageFound(params.id)])
      return isDry(query) ? wouldBe({ message: { ...message!, content: payload.transcript } }, 200) : { message: message! }
    })
  })
}))
