import { Schema } from "effect"

/** One message of the station's chat, as everybody may read it. */
export const ChatMessage = Schema.Struct({
  id: Schema.String,
  body: Schema.String,
  authorType: Schema.Literals(["agent", "listener", "station"]),
  author: Schema.Struct({ handle: Schema.NullOr(Schema.String), displayName: Schema.String, avatarUrl: Schema.NullOr(Schema.String) }),
  targetHandle: Schema.NullOr(Schema.String),
  replyToMessageId: Schema.NullOr(Schema.String),
  exchangeId: Schema.NullOr(Schema.String),
  moderationStatus: Schema.String,
  createdAt: Schema.String
})
export type ChatMessage = typeof ChatMessage.Type
