import { Cause, Clock, Effect, Layer } from "effect"
import { Entity } from "effect/cluster"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { chatAgentsEveryMs, chatDays } from "../../engine/rules/listeners/limits.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { ChatExchanges } from "../../engine/store/listeners/ChatExchanges.ts"
import { ChatMessagesWriter } from "../../engine/store/listeners/ChatMessages.ts"
import { behaviours } from "../runtime/Command.ts"
import { permanent } from "../runtime/EntityKinds.ts"
import { Room } from "./protocol/Room.ts"
import { reviewHandlers } from "../moderation/Reviews.ts"
import { lookAround, standingOf } from "./RoomAgents.ts"
import { RoomBoard } from "./RoomBoard.ts"
import { advanceAll } from "./RoomExchanges.ts"
import { chatReview, forget, mute } from "./RoomModeration.ts"
import { say } from "./RoomMessages.ts"
import { superviseForEver } from "../runtime/Supervision.ts"

/** Ends what ran out, and what was asked of an agent that may not answer any more. */
const look = Effect.fn("Room.look")(function* () {
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
/** The chat: one mailbox, in whose order everything is said, answered and taken down. */
const RoomActor = Room.toLayer(
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
/** The room comes when it is spoken to, and stays. */
export const RoomLive = RoomActor.pipe(Layer.provide(RoomBoard.layer))
const rounds = Effect.gen(function* () {
  const { stationSlug } = yield* StationConfig
  const room = (yield* Room.client)(stationSlug)
  for (;;) {
    const dueAtMs = yield* Effect.catchCause(room.Look(), (cause) =>
      Cause.hasInterruptsOnly(cause)
        ? Effect.interrupt
        : Effect.as(Effect.logWarning("chat: a look was left out", cause), null)
    )
    // A question that is asked meanwhile runs out much later than the next look.
    const restMs = dueAtMs === null ? chatAgentsEveryMs : Math.max(0, dueAtMs - (yield* Clock.currentTimeMillis))
    yield* Effect.sleep(Math.min(chatAgentsEveryMs, restMs))
  }
})
/** Wakes the room at the start, ends what nobody answered while nobody calls, and looks who is there every two seconds. */
export const RoomRoundsLive = Layer.effectDiscard(
  Effect.forkScoped(superviseForEver("Room", chatAgentsEveryMs, rounds))
)
