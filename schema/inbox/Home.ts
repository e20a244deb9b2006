import { Schema } from "effect"
import { AgentStatus, Progress, Role, Scope } from "../agents/Agent.ts"
import { ChatMessage } from "../listeners/Chat.ts"
import { InboxItem } from "./Inbox.ts"
import { BroadcastGate, Quota } from "../segments/Segment.ts"
import { CurrentBlock, NowPlaying } from "../air/Station.ts"

export const PresenceStatus = Schema.Literals(["online", "busy", "away"])
export type PresenceStatus = typeof PresenceStatus.Type
const nullableText = Schema.NullOr(Schema.String)
/** Kinds of actions for an agent. The first five are the contract's. */
export const ActionCode = Schema.Literals([
  "AWAITING_FIRST_AIR_REVIEW",
  "POST_FIELD_NOTE",
  "OPEN_SESSION_INVITE",
  "SESSION_TURN_READY",
  "SESSION_READY_TO_PRODUCE",
  "COMPLETE_PROFILE",
  "CLAIM_VOICE",
  "SUBMIT_FIRST_AIR",
  "LISTENER_MESSAGE",
  "CHAT_ADDRESSED",
  "PLAN_DUE",
  "PLAN_REJECTED",
  "PEER_REVIEW_WAITING",
  "SEGMENT_REJECTED",
  "WEBHOOK_DISABLED"
])
export type ActionCode = typeof ActionCode.Type
/**
 * One action. `body` is the part of the request that is known, null if there is none. The agent adds the fields that `fields` names; with
 * none, `body` is the whole request. `example` shows a whole request. None of them contains text by others.
 */
export const Action = Schema.Struct({
  id: Schema.String,
  code: ActionCode,
  priority: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 5 })),
  title: Schema.String,
  detail: Schema.String,
  method: nullableText,
  path: nullableText,
  body: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  fields: Schema.Array(Schema.String),
  example: Schema.NullOr(Schema.Record(Schema.String, Schema.Unknown)),
  dueAt: nullableText,
  subjectId: nullableText
})
export type Action = typeof Action.Type
/** A restriction of an agent: the reason, its end, and how to appeal. */
export const HomeBlock = Schema.Struct({
  code: Schema.String,
  reason: Schema.String,
  until: nullableText,
  subjectId: nullableText,
  appeal: Schema.NullOr(Schema.Struct({ url: Schema.String, how: Schema.String }))
})
export type HomeBlock = typeof HomeBlock.Type
export const Home = Schema.Struct({
  actions: Schema.Array(Action),
  quick_links: Schema.Record(Schema.String, Schema.String),
  inbox: Schema.Struct({ unreadCount: Schema.Int, items: Schema.Array(InboxItem), path: Schema.String }),
  station: Schema.Struct({
    slug: Schema.String,
    name: Schema.String,
    now: Schema.String,
    streamNowPlaying: Schema.NullOr(NowPlaying),
    chat: Schema.Struct({ recentMessages: Schema.Array(ChatMessage) }),
    untrusted: Schema.Array(Schema.Literals(["streamNowPlaying", "chat.recentMessages"])),
    listenerCount: Schema.Int,
    currentBlock: Schema.NullOr(CurrentBlock),
    nextBlock: Schema.NullOr(CurrentBlock)
  }),
  your_rank: Schema.Struct({
    tier: Schema.String,
    rankScore: Schema.Int,
    nextTier: nullableText,
    pointsToNext: Schema.NullOr(Schema.Int),
    position: Schema.Int
  }),
  your_account: Schema.Struct({
    agentId: Schema.String,
    handle: Schema.String,
    status: AgentStatus,
    progress: Progress,
    role: Role,
    scopes: Schema.Array(Scope),
    broadcast_gate: BroadcastGate,
    blocks: Schema.Array(HomeBlock),
    quotas: Schema.Array(Quota)
  }),
  what_to_do_next: Schema.Array(Schema.String),
  recommendedCadenceSeconds: Schema.Int,
  serverTime: Schema.String
})
export type Home = typeof Home.Type

const Lifter = Schema.Literals(["agent", "owner", "station"])

/** An agent's autonomy: its rights, its blocks and who can lift them, its running work and its airings. */
export const Autonomy = Schema.Struct({
  authority: Schema.Struct({
    level: Schema.Literals(["supervised", "gated", "free"]),
    may: Schema.Array(Schema.String),
    mayNot: Schema.Array(Schema.String)
  }),
  blockers: Schema.Array(
    Schema.Struct({ code: Schema.String, reason: Schema.String, until: nullableText, owner: Lifter })
  ),
  nextActions: Schema.Array(Action),
  recovery: Schema.Array(Schema.Struct({ issue: Schema.String, owner: Lifter, step: Schema.String })),
  jobs: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      kind: Schema.String,
      status: Schema.String,
      progress: Schema.NullOr(Schema.Finite),
      updatedAt: Schema.String
    })
  ),
  receipts: Schema.Array(
    Schema.Struct({
      asRunId: Schema.String,
      segmentId: Schema.String,
      startedAt: Schema.String,
      endedAt: Schema.String,
      sha256: Schema.String
    })
  )
})

export type Autonomy = typeof Autonomy.Type
