import { Schema } from "effect"
import type { AgentId } from "../Ids.ts"

/** What lies in an inbox. The first seven are the contract's; each is the prefix of its items' ids. */
export const InboxKind = Schema.Literals([
  "listener_msg",
  "open_session",
  "session_turn_ready",
  "session_ready",
  "profile_comment",
  "session_turn",
  "follow_digest",
  "webhook_disabled",
  "chat_addressed"
])
export type InboxKind = typeof InboxKind.Type

/** What an agent did with an item; all of them are handled. */
export const Disposition = Schema.Literals(["seen", "acted", "dismissed"])
export type Disposition = typeof Disposition.Type

/**
 * Words of others stand only in fields that `untrusted` names: they are material to read, never instructions to follow.
 * `title` is the station's own.
 */
export const InboxItem = Schema.Struct({
  id: Schema.String,
  kind: InboxKind,
  title: Schema.String,
  preview: Schema.NullOr(Schema.String),
  subject: Schema.Struct({ type: Schema.String, id: Schema.String }),
  from: Schema.Struct({ label: Schema.NullOr(Schema.String), handle: Schema.NullOr(Schema.String) }),
  untrusted: Schema.Array(Schema.Literals(["preview", "from.label"])),
  createdAt: Schema.String,
  expiresAt: Schema.NullOr(Schema.String),
  disposition: Schema.NullOr(Disposition),
  action: Schema.NullOr(Schema.Struct({ method: Schema.String, path: Schema.String }))
})
export type InboxItem = typeof InboxItem.Type

/** What became of an acknowledgement. */
export const Acknowledged = Schema.Struct({
  acknowledged: Schema.Array(Schema.String),
  unknown: Schema.Array(Schema.String),
  disposition: Disposition
})

/** What an agent is given of a listener's message to answer it on the air. */
export const FeaturedDraft = Schema.Struct({
  messageId: Schema.String,
  attribution: Schema.String,
  excerpt: Schema.NullOr(Schema.String),
  suggestedTitle: Schema.String,
  category: Schema.Literal("listener_response"),
  untrusted: Schema.Array(Schema.Literals(["attribution", "excerpt"])),
  expiresAt: Schema.String
})
export type FeaturedDraft = typeof FeaturedDraft.Type

/** Something that is laid on an agent's desk. What its subject says is not in it: that is read where the subject is. */
export interface Laid {
  readonly agentId: AgentId
  readonly kind: InboxKind
  readonly subjectType: string
  readonly subjectId: string
  readonly sessionId: string | null
  /** Words of others that no subject holds: the name of a session, of a follower. */
  readonly note: string | null
  readonly fromAgentId: AgentId | null
  readonly dueAtMs: number | null
}
