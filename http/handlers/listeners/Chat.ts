import { Clock, Effect, Result } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { ReviewRegistry } from "../../../actors/moderation/protocol.ts"
import { Room } from "../../../actors/listeners/protocol/Room.ts"
import { chatShown } from "../../../engine/rules/listeners/limits.ts"
import { paces } from "../../../engine/rules/listeners/Chat.ts"
import { judgeConsent } from "../../../engine/rules/listeners/Consent.ts"
import { countUsed } from "../../../engine/rules/allowance/Meter.ts"
import { ChatMessages } from "../../../engine/store/listeners/ChatMessages.ts"
import { Meters } from "../../../engine/store/sql/Meters.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { Speaker } from "../../../schema/listeners/Chat.ts"
import { aListener } from "../../../schema/listeners/Message.ts"
import { BroadcastConsentRequired, Busy, InvalidField } from "../../../schema/Problems.ts"
import { Quota } from "../../../schema/segments/Segment.ts"
import { Api } from "../../api/Api.ts"
import { CurrentSpeaker, CurrentViewer } from "../../api/listeners/Chat.ts"
import { consentAsk } from "../../api/listeners/Consent.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { eventStream } from "../../stream/events/EventStream.ts"
import { answerWithQuotas } from "../Quotas.ts"
import { checkStation } from "../../views/StationViews.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { msOf } from "../../api/Instants.ts"
import { chatMessageView, chatMessageForOps } from "../../../engine/rules/listeners/ChatView.ts"

const starting = new Busy({ detail: "The chat has just started. Ask again in a second.", retryAfterSec: 1 })
/** The chat from the room's published snapshot. */
const board = Effect.flatMap(EventBus, (bus) =>
  Effect.flatMap(bus.get("chatBoard"), (found) => (found === null ? Effect.fail(starting) : Effect.succeed(found)))
)
export const ChatHandlers = HttpApiBuilder.group(Api, "chat", (handlers) =>
  Effect.succeed(
    handlers.handleAll({
      read: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const { author } = yield* CurrentViewer
        const { publicUrl } = yield* StationFacts
        const page = yield* (yield* ChatMessages).page(author, {
          limit: query.limit ?? chatShown,
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        const chatAgents = (yield* board).agents(author, yield* Clock.currentTimeMillis)
        return {
          messages: page.records.map((record) => chatMessageView(record, publicUrl)),
          chatAgents,
          ...nextCursorOf(page.next)
        }
      }),
      follow: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        yield* board
        return yield* eventStream("chat", query.lastEventId, (yield* CurrentViewer).author)
      })
    })
  )
)
/** Remaining messages of an author, for both rates. */
const readRemaining = Effect.fnUntraced(function* (who: keyof typeof paces, author: string) {
  const nowMs = yield* Clock.currentTimeMillis
  const read = yield* (yield* Meters).read([`chat_pace:${author}`, `chat:${author}`])
  const { during, every } = paces[who]
  return (
    [
      ["chat_pace", every],
      ["chat", during]
    ] as const
  ).map(([name, window], index) => {
    const { emptyAtMs } = read[index]!
    const spent = countUsed(emptyAtMs, window, nowMs)
    return Quota.make({
      name,
      limit: window.count,
      used: spent,
      remaining: window.count - spent,
      windowSec: window.windowMs / 1_000,
      resetsAt: new Date(Math.max(nowMs, emptyAtMs)).toISOString()
    })
  })
})
export const ChatSpeakingHandlers = HttpApiBuilder.group(
  Api,
  "chatSpeaking",
  Effect.fnUntraced(function* (handlers) {
    const { slug } = yield* StationFacts
    const room = (yield* Room.client)(slug)
    return handlers.handleAll({
      say: Effect.fnUntraced(function* ({ payload, query }) {
        const { body, replyToMessageId = null, targetHandle = null, ...consent } = payload
        const current = yield* CurrentSpeaker
        const consented = current._tag === "Agent" ? null : judgeConsent(consentAsk(consent, current.human))
        if (consented !== null && Result.isFailure(consented))
          return yield* new BroadcastConsentRequired({ detail: consented.failure })
        const speaker: Speaker =
          current._tag === "Agent"
            ? current
            : {
                _tag: "Listener",
                humanId: current.human.id,
                listenerId: current.listenerId,
                label: consented?.success.listenerLabel ?? aListener
              }
        const [who, author] =
          speaker._tag === "Agent" ? ["agent" as const, speaker.agentId] : ["listener" as const, speaker.humanId]
        const said = yield* send(
          room.Say({
            speaker,
            draft: { body, targetHandle, replyToMessageId }
          })
        ).pipe(answerWithQuotas(readRemaining(who, author)))
        return isDry(query) ? previewAnswer(said, 200) : said
      })
    })
  })
)
const untilPast = new InvalidField({
  detail: "A mute ends in the future; null ends it now.",
  errors: [{ pointer: "/until", code: "INVALID_FIELD", detail: "is in the past, or not a time" }]
})
export const OpsChatHandlers = HttpApiBuilder.group(
  OpsApi,
  "opsChat",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl, slug } = yield* StationFacts
    const room = (yield* Room.client)(slug)
    const registry = yield* ReviewRegistry
    return handlers.handleAll({
      messages: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* ChatMessages).list(query.status ?? null, {
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return {
          messages: page.records.map((record) => chatMessageForOps(record, publicUrl)),
          ...nextCursorOf(page.next)
        }
      }),
      remove: Effect.fnUntraced(function* ({ params, payload: { reason } }) {
        const { name } = yield* CurrentOperator
        return yield* send(
          registry.judge({ type: "chat_message", id: params.id, judgement: "remove", actor: name, reason })
        )
      }),
      mute: Effect.fnUntraced(function* ({ payload: { id, reason, type, until } }) {
        const untilMs = until === null ? null : msOf(until)
        if (untilMs !== null && !(untilMs > (yield* Clock.currentTimeMillis))) return yield* untilPast
        return { mute: yield* send(room.Mute({ type, id, untilMs, actor: (yield* CurrentOperator).name, reason })) }
      })
    })
  })
)
