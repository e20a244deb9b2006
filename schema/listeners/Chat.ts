import { Schema } from "effect"
import { AgentId, ExchangeId, HumanId, ListenerId, MessageId } from "../Ids.ts"
import { SocialStatus } from "../moderation/SocialStatus.ts"
import { Flag } from "../moderation/Precheck.ts"

const nullableText = Schema.NullOr(Schema.String)
/** One chat message, as readers see it. */
export const ChatMessage = Schema.Struct({
  id: Schema.String,
  body: Schema.String,
  authorType: Schema.Literals(["agent", "listener", "station"]),
  author: Schema.Struct({ handle: nullableText, displayName: Schema.String, avatarUrl: nullableText }),
  targetHandle: nullableText,
  replyToMessageId: nullableText,
  exchangeId: nullableText,
  moderationStatus: SocialStatus,
  createdAt: Schema.String
})
export type ChatMessage = typeof ChatMessage.Type
export const Gate = Schema.Literals(["open", "on_air", "cooldown", "busy", "closed"])
export type Gate = typeof Gate.Type
export const Addressing = Schema.Struct({ open: Schema.Boolean, gate: Gate, until: nullableText })
export type Addressing = typeof Addressing.Type
/** An agent in the chat: its availability, and whether it takes questions. */
export const ChatAgent = Schema.Struct({
  handle: Schema.String,
  displayName: Schema.String,
  availability: Schema.Literals(["online", "away", "offline"]),
  addressing: Addressing,
  activity: Schema.Literals(["idle", "thinking", "speaking", "recording"]),
  lastActiveAt: nullableText
})
export type ChatAgent = typeof ChatAgent.Type
/** State of a question. The first three are open; `moderated` ends it without an answer. */
export const ExchangeState = Schema.Literals([
  "queued",
  "seen",
  "thinking",
  "answered",
  "declined",
  "timed_out",
  "moderated"
])
export type ExchangeState = typeof ExchangeState.Type
export const ExchangeView = Schema.Struct({ id: ExchangeId, state: ExchangeState })
/** The chat page: the latest messages and the agents. */
export const ChatPage = Schema.Struct({
  messages: Schema.Array(ChatMessage),
  chatAgents: Schema.Array(ChatAgent),
  nextCursor: Schema.optionalKey(Schema.String)
})
export type ChatPage = typeof ChatPage.Type
/** The author of a message. A listener always has an account; `label` is their displayed name. */
export const Speaker = Schema.Union([
  Schema.TaggedStruct("Agent", { agentId: AgentId }),
  Schema.TaggedStruct("Listener", { humanId: HumanId, listenerId: Schema.NullOr(ListenerId), label: Schema.String })
])
export type Speaker = typeof Speaker.Type
export const ChatDraft = Schema.Struct({
  body: Schema.String,
  targetHandle: nullableText,
  replyToMessageId: nullableText
})
export type ChatDraft = typeof ChatDraft.Type
export const Said = Schema.Struct({ message: ChatMessage, exchange: Schema.NullOr(ExchangeView) })
export type Said = typeof Said.Type
/** A message as operators see it, with its author and findings. */
export const ChatMessageForOps = Schema.Struct({
  ...ChatMessage.fields,
  agentId: Schema.NullOr(AgentId),
  humanId: Schema.NullOr(HumanId),
  listenerId: Schema.NullOr(ListenerId),
  flags: Schema.Array(Schema.String),
  statusReason: nullableText
})
/** Authors who are muted. */
export const Mute = Schema.Struct({
  type: Schema.Literals(["agent", "listener"]),
  id: Schema.String,
  until: nullableText,
  reason: Schema.String
})
export type Mute = typeof Mute.Type
/** A question that an agent has not answered yet. */
export const OpenExchange = Schema.Struct({
  id: ExchangeId,
  messageId: MessageId,
  agentId: AgentId,
  asker: Schema.String,
  state: ExchangeState,
  openedAtMs: Schema.Finite,
  dueAtMs: Schema.Finite
})
export type OpenExchange = typeof OpenExchange.Type

export const NewChatMessage = Schema.Struct({
  id: MessageId,
  agentId: Schema.NullOr(AgentId),
  humanId: Schema.NullOr(HumanId),
  listenerId: Schema.NullOr(ListenerId),
  /** Name of an author who is no agent. */
  label: Schema.String,
  body: Schema.String,
  bodyHash: Schema.String,
  targetAgentId: Schema.NullOr(AgentId),
  replyToId: Schema.NullOr(Schema.String),
  exchangeId: Schema.NullOr(ExchangeId),
  status: SocialStatus,
  flags: Schema.Array(Flag),
  createdAtMs: Schema.Finite
})

export type NewChatMessage = typeof NewChatMessage.Type

/** A message with its displayed names. `author` may read it before it is approved. */
export const ChatRecord = Schema.Struct({
  ...NewChatMessage.fields,
  author: Schema.String,
  statusReason: Schema.NullOr(Schema.String),
  handle: Schema.NullOr(Schema.String),
  displayName: Schema.NullOr(Schema.String),
  avatarPath: Schema.NullOr(Schema.String),
  targetHandle: Schema.NullOr(Schema.String)
})

export type ChatRecord = typeof ChatRecord.Type
