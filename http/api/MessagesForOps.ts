import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { transcriptCharsMax } from "../../engine/Limits.ts"
import { Interaction } from "../../schema/Interaction.ts"
import { MessageForOps } from "../../schema/Message.ts"
import { Busy, InvalidField, MissingFields, NotFound } from "../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "./Authorization.ts"
import { described } from "./Described.ts"
import { dry, dryRun, filledText } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { reason } from "./Reasons.ts"
import { idempotency, limit } from "./Segments.ts"

/** What listeners sent, as the station's people see it. */
export const MessagesForOpsApi = HttpApiGroup.make("messagesForOps").add(
  HttpApiEndpoint.get("messages", "/api/ops/messages", {
    query: { type: Schema.optionalKey(Interaction.fields.type), status: Schema.optionalKey(Interaction.fields.moderationStatus), limit, cursor: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ messages: Schema.Array(MessageForOps), nextCursor: Schema.optionalKey(Schema.String) }), error: [InvalidField]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("List what listeners sent", "Write-ins, dedications and calls, newest first, in any state; of a call also how far its words and its sound are.")),
  HttpApiEndpoint.patch("transcript", "/api/ops/call-ins/:id", {
    params: { id: Schema.String }, headers: idempotency, query: dryRun, payload: Schema.Struct({ transcript: filledText(transcriptCharsMax), reason }), success: [Schema.Struct({ message: MessageForOps }), dry],
    error: [NotFound, MissingFields, InvalidField, Busy]
  }).annotate(RequiredRole, "reviewer").annotateMerge(described("Write down a call", "What was said, as a person heard it: in place of what a machine has written, or where none did. It is read beforehand like a write-in; its review shows what was found."))
).middleware(Reading).middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Messages of listeners", description: "Write-ins, dedications and calls." }))
