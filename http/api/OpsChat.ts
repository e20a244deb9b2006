import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { ChatMessageForOps, Mute } from "../../schema/Chat.ts"
import { Busy, InvalidField, NotFound, SubjectConflict } from "../../schema/Problems.ts"
import { SocialStatus } from "../../schema/Social.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { described } from "./Described.ts"
import { idText } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { neededReason } from "./Reasons.ts"
import { idempotency, limit } from "./Segments.ts"

/** The chat for those who look after it. */
export const OpsChatApi = HttpApiGroup.make("opsChat").add(
  HttpApiEndpoint.get("messages", "/api/ops/chat", {
    query: { status: Schema.optionalKey(SocialStatus), limit, cursor: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ messages: Schema.Array(ChatMessageForOps), nextCursor: Schema.optionalKey(Schema.String) }), error: [InvalidField]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Read the chat", "What was said, newest first, in every state, with its words, whose they are and what was found in them.")),
  HttpApiEndpoint.post("remove", "/api/ops/chat/:id/remove", {
    params: { id: Schema.String }, headers: idempotency, payload: Schema.Struct({ reason: neededReason }), success: Schema.Struct({ message: ChatMessageForOps }), error: [NotFound, SubjectConflict, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Take a message down", "Everybody who follows the chat is told at once that it is gone, without its words; the question it asked ends as moderated. A repeat changes nothing.")),
  HttpApiEndpoint.post("mute", "/api/ops/chat/mute", {
    headers: idempotency, payload: Schema.Struct({ type: Mute.fields.type, id: idText, until: Schema.NullOr(Schema.String), reason: neededReason }), success: Schema.Struct({ mute: Mute }), error: [InvalidField, NotFound, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Mute an agent or a listener", "Nothing is taken from them in the chat until then. A listener is named by their listener's or their account's id; until null lets them speak again."))
).middleware(Reading).middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "What is said in the chat, and by whom." }))
