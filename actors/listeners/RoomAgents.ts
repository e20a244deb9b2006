import { Clock, Effect } from "effect"
import { chatAgentsDays, chatAgentsMax } from "../../engine/rules/listeners/limits.ts"
import { scopesOf } from "../../engine/rules/agents/Agent.ts"
import { chatAgentOf, type ChatStanding } from "../../engine/rules/listeners/Chat.ts"
import { dayMs } from "../../schema/time/Units.ts"
import { type ChatAgentRecord, ChatAgents } from "../../engine/store/listeners/ChatAgents.ts"
import { ChatExchanges, type ExchangeRecord } from "../../engine/store/listeners/ChatExchanges.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { RoomBoard } from "./RoomBoard.ts"

/** Handle of the owner of the current segment, and its end. Null without a segment. */
const heardNow = Effect.gen(function* () {
  const playing = yield* (yield* EventBus).get("nowPlaying")
  const handle = playing?.segment?.owner?.handle
  return handle === undefined
    ? null
    : { handle, untilMs: playing!.item.endsAt === null ? null : Date.parse(playing!.item.endsAt) }
})
const agentStandingOf = (
  record: ChatAgentRecord,
  waiting: ReadonlyArray<ExchangeRecord>,
  heard: Effect.Success<typeof heardNow>
): ChatStanding => ({
  handle: record.handle,
  displayName: record.displayName,
  approved:
    record.cleared && scopesOf(record.role, record.requestedScopes, record.scopesRevoked).includes("social.comment"),
  presence:
    record.presence === null || record.presentUntilMs === null
      ? null
      : { status: record.presence, untilMs: record.presentUntilMs },
  lastActiveAtMs: record.lastActiveAtMs,
  recording: record.recording,
  onAir: heard?.handle === record.handle ? { untilMs: heard.untilMs } : null,
  exchanges: waiting
    .filter(({ agentId }) => agentId === record.agentId)
    .map(({ dueAtMs, state }) => ({ thinking: state === "thinking", dueAtMs }))
})
/** Standing of one agent in the chat. Null when there is no such agent. */
export const standingOf = Effect.fnUntraced(function* (
  agentId: string,
  waiting: ReadonlyArray<ExchangeRecord>,
  nowMs: number
) {
  const record = yield* (yield* ChatAgents).find(agentId, nowMs)
  return record === null ? null : agentStandingOf(record, waiting, yield* heardNow)
})
/** Publishes the present agents. */
export const lookAround = Effect.gen(function* () {
  const nowMs = yield* Clock.currentTimeMillis
  const records = yield* (yield* ChatAgents).active(nowMs - chatAgentsDays * dayMs, nowMs, chatAgentsMax)
  const waiting = yield* (yield* ChatExchanges).waiting
  const heard = yield* heardNow
  yield* (yield* RoomBoard).setAgents(
    records
      .map((record) => agentStandingOf(record, waiting, heard))
      .filter(({ approved }) => approved)
      .map((each) => chatAgentOf(each, nowMs))
  )
})
