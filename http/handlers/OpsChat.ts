import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Room } from "../../actors/protocol/Room.ts"
import { chatMessageForOps, ChatMessages } from "../../engine/store/ChatMessages.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { InvalidField } from "../../schema/Problems.ts"
import { CurrentOperator } from "../api/Authorization.ts"
import { msOf } from "../api/Instants.ts"
import { OpsApi } from "../api/OpsApi.ts"
import { limitOf } from "../api/Segments.ts"
import { send } from "../Send.ts"
import { following, unknownCursor } from "./Commands.ts"

const untilPast = new InvalidField({ detail: "A mute ends in the future; null ends it now.", errors: [{ pointer: "/until", code: "INVALID_FIELD", detail: "has passed, or is no time" }] })

export const OpsChatHandlers = HttpApiBuilder.group(OpsApi, "opsChat", Effect.fn(function*(handlers) {
  const { publicUrl, slug } = yield* StationFacts
  const room = (yield* Room.client)(slug)
  return handlers.handleAll({
    messages: Effect.fn(function*({ query }) {
      const page = yield* (yield* ChatMessages).list(query.status ?? null, { limit: limitOf(query), cursor: query.cursor ?? null })
      if (page === null) return yield* unknownCursor
      return { messages: page.records.map((record) => chatMessageForOps(record, publicUrl)), ...following(page.next) }
    }),
    remove: Effect.fn(function*({ params, payload: { reason } }) {
      return { message: yield* send(room.Remove({ messageId: params.id, actor: (yield* CurrentOperator).name, reason })) }
    }),
    mute: Effect.fn(function*({ payload: { id, reason, type, until } }) {
      const untilMs = until === null ? null : msOf(until)
      if (untilMs !== null && !(untilMs > (yield* Clock.currentTimeMillis))) return yield* untilPast
      return { mute: yield* send(room.Mute({ type, id, untilMs, actor: (yield* CurrentOperator).name, reason })) }
    })
  })
}))
