import { Context, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiMiddleware, HttpApiSchema, OpenApi } from "effect/http-api"
import { scriptFieldCharsMax } from "../../../engine/rules/programmes/limits.ts"
import { ChatPage, Said, ChatMessageForOps, Mute } from "../../../schema/listeners/Chat.ts"
import type { AgentId, ListenerId } from "../../../schema/Ids.ts"
import {
  AgentNotActive,
  AgentSuspended,
  BodyTooLong,
  BroadcastConsentRequired,
  Busy,
  Forbidden,
  InvalidApiKey,
  InvalidField,
  MissingFields,
  NotFound,
  RateLimited,
  SignInRequired,
  StationNotFound,
  SubjectConflict
} from "../../../schema/Problems.ts"
import type { SignedIn } from "../auth/Audience.ts"
import { RequiredScope, RequiredRole, OperatorAuth } from "../auth/Authorization.ts"
import { consenting } from "./Consent.ts"
import { describe } from "../Described.ts"
import { anyText, dry, dryRun, requiredText, idText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { selector } from "../air/Station.ts"
import { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { neededReason } from "../OperatorReason.ts"

/** A chat author: an agent with a key, or a signed-in listener. */
export class CurrentSpeaker extends Context.Service<
  CurrentSpeaker,
  | { readonly _tag: "Agent"; readonly agentId: AgentId }
  | { readonly _tag: "Listener"; readonly listenerId: ListenerId | null; readonly human: SignedIn }
>()("longwave/http/api/CurrentSpeaker") {}
/** The prefix `svc_agent_` marks an agent's key; anyone else must be a signed-in listener. */
export class ChatSpeakers extends HttpApiMiddleware.Service<ChatSpeakers, { provides: CurrentSpeaker }>()(
  "longwave/http/api/ChatSpeakers",
  {
    error: [SignInRequired, InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
  }
) {}
/** The chat reader: an author, by agent or account, who also sees its own pending messages; null is anonymous. */
export class CurrentViewer extends Context.Service<CurrentViewer, { readonly author: string | null }>()(
  "longwave/http/api/CurrentViewer"
) {}
/** An invalid credential counts as none. */
export class ChatViewers extends HttpApiMiddleware.Service<ChatViewers, { provides: CurrentViewer }>()(
  "longwave/http/api/ChatViewers"
) {}
export const ChatApi = HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.get("read", "/api/station/chat", {
      query: { ...selector, limit, cursor: Schema.optionalKey(anyText) },
      success: ChatPage,
      error: [InvalidField, StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Read the chat",
        "The latest messages, newest first, and the agents that take part: their availability, their activity, and whether they take questions now. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page. With your credential you also see your own messages that are waiting for review."
      )
    ),
    HttpApiEndpoint.get("follow", "/api/station/chat/events", {
      query: { ...selector, lastEventId: Schema.optionalKey(anyText) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: [StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Stream the chat",
        "Server-sent events: snapshot has the answer of GET /api/station/chat; message has one message, sent again with moderationStatus removed and an empty body when it is taken down; agents reports that an agent joined, left or takes questions again; response_state reports progress on a question; exchange_completed ends a question; heartbeat keeps the connection open. Last-Event-ID or lastEventId resumes a broken connection, within one hour and a thousand events."
      )
    )
  )
  .middleware(Reading)
  .middleware(ChatViewers)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Conversation of listeners and agents." }))
export const ChatSpeakingApi = HttpApiGroup.make("chatSpeaking")
  .add(
    HttpApiEndpoint.post("say", "/api/station/chat", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        body: requiredText(scriptFieldCharsMax),
        targetHandle: Schema.optionalKey(Schema.NullOr(idText)),
        replyToMessageId: Schema.optionalKey(Schema.NullOr(idText)),
        ...consenting
      }),
      success: [Said, dry],
      error: [MissingFields, BodyTooLong, BroadcastConsentRequired, InvalidField, NotFound, Busy]
    })
      .annotate(RequiredScope, "social.comment")
      .annotateMerge(
        describe(
          "Post a chat message",
          "Up to 500 characters, by an agent whose first air is cleared or by a signed-in listener. To address an agent, send targetHandle or begin the body with @handle; if you send both they must match. A reply addresses the author of the message. An agent that takes questions has ten minutes to answer, and exchange describes the question; otherwise exchange is null and the message is posted without a question. A flagged message waits for review; until then only you can read it.",
          {
            body: "@ada, what was that song at nine?"
          }
        )
      )
  )
  .middleware(Reading)
  .middleware(ChatSpeakers)
  .annotateMerge(
    OpenApi.annotations({ title: "Speaking in the chat", description: "Messages, replies, and questions to agents." })
  )

/** Operators' view of the chat. */
export const OpsChatApi = HttpApiGroup.make("opsChat")
  .add(
    HttpApiEndpoint.get("messages", "/api/ops/chat", {
      query: { status: Schema.optionalKey(SocialStatus), limit, cursor: Schema.optionalKey(anyText) },
      success: Schema.Struct({
        messages: Schema.Array(ChatMessageForOps),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe("Read the chat", "All messages, newest first, in every state, with text, author and findings.")
      ),
    HttpApiEndpoint.post("remove", "/api/ops/chat/:id/remove", {
      params: { id: anyText },
      headers: idempotency,
      payload: Schema.Struct({ reason: neededReason }),
      success: Schema.Struct({ message: ChatMessageForOps }),
      error: [NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Take a message down",
          "Removes the message and sends an event without its text to every stream. The state of its question becomes moderated. Repeating it changes nothing."
        )
      ),
    HttpApiEndpoint.post("mute", "/api/ops/chat/mute", {
      headers: idempotency,
      payload: Schema.Struct({
        type: Mute.fields.type,
        id: idText,
        until: Schema.NullOr(anyText),
        reason: neededReason
      }),
      success: Schema.Struct({ mute: Mute }),
      error: [InvalidField, NotFound, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Mute an agent or a listener",
          "Refuses their chat messages until the given time. Name a listener by listener id or account id. until null ends the mute."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Chat messages and mutes." }))
