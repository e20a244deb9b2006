import { Cause, Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { chatAgentsEveryMs, chatDays } from "../../engine/rules/listeners/limits.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { ChatExchanges } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessagesWriter } from "../../engine/store/listeners/ChatMessages.ts"
import { behaviours } from "../runtime/Command.ts"
import { actorLayer } from "../runtime/actorLayer.ts"
import { permanent } from "../runtime/EntityKinds.ts"
import { Room } from "./protocol/Room.ts"
import { reviewHandlers } from "../moderation/reviewHandlers.ts"
import { lookAround, standingOf } from "./RoomAgents.ts"
import { RoomBoard } from "./RoomBoard.ts"
import { advanceAll } from "./RoomExchanges.ts"
import { chatReview, forget, mute } from "./RoomModeration.ts"
import { say } from "./RoomMessages.ts"
import { superviseForEver } from "../runtime/Supervision.ts"

/** Ends overdue questions, and questions to agents that may no longer answer. Answers when the next question is due. */
const look = Effect.fnUntraced(function* () {
  const nowMs = yield* Clock.currentTimeMillis
  const exchanges = yield* ChatExchanges
  const waiting = yield* exchanges.waiting
  yield* advanceAll("expire", ({ dueAtMs }) => dueAtMs <= nowMs)
  for (const agentId of new Set(waiting.map((exchange) => exchange.agentId))) {
    if ((yield* standingOf(agentId, waiting, nowMs))?.approved !== true)
      yield* advanceAll("moderate", (exchange) => exchange.agentId === agentId)
  }
  yield* lookAround
  return (yield* exchanges.waiting)[0]?.dueAtMs ?? null
})
/** The chat. One mailbox orders all messages, answers and removals. */
const RoomActor = actorLayer(
  Room,
  Effect.gen(function* () {
    yield* Entity.keepAlive(true)
    yield* (yield* RoomBoard).begin
    return Room.of(
      yield* behaviours(Room, {
        Say: ({ payload }) => say(payload),
        Notice: ({ payload }) => advanceAll(payload.move, ({ agentId }) => agentId === payload.agentId),
        Decline: ({ payload }) =>
          advanceAll(
            "decline",
            ({ agentId, messageId }) => agentId === payload.agentId && payload.messageIds.includes(messageId)
          ),
        Look: () => look(),
        ...reviewHandlers([chatReview]),
        Mute: ({ payload }) => mute(payload, payload),
        Forget: ({ payload }) => forget(payload.author),
        Purge: () =>
          Effect.flatMap(Clock.currentTimeMillis, (nowMs) =>
            Effect.flatMap(ChatMessagesWriter, (messages) => messages.purge(nowMs - chatDays * dayMs))
          )
      })
    )
  }),
  permanent
)
/** Activated on demand, kept alive. */
export const RoomLive = RoomActor.pipe(Layer.provide(RoomBoard.layer))
const rounds = Effect.gen(function* () {
  const { stationSlug } = yield* StationConfig
  const room = (yield* Room.client)(stationSlug)
  for (;;) {
    const dueAtMs = yield* Effect.catchCause(room.Look(), (cause) =>
      Cause.hasInterruptsOnly(cause) ? Effect.interrupt : Effect.as(Effect.logWarning("chat: Look failed", cause), null)
    )
    // A new question is due much later than the next round.
    const restMs = dueAtMs === null ? chatAgentsEveryMs : Math.max(0, dueAtMs - (yield* Clock.currentTimeMillis))
    yield* Effect.sleep(Math.min(chatAgentsEveryMs, restMs))
  }
})
/** Activates the room at the start. Runs `Look` when a question is due, at least every `chatAgentsEveryMs`. */
export const RoomWorkerLive = Layer.effectDiscard(
  Effect.forkScoped(superviseForEver("Room", chatAgentsEveryMs, rounds))
)
