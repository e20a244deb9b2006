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
import { described } from "../Described.ts"
import { dry, dryRun, filledText, idText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"
import { selector } from "../air/Station.ts"
import { SocialStatus } from "../../../schema/moderation/SocialStatus.ts"
import { neededReason } from "../OperatorReason.ts"

/** Who speaks in the chat: an agent by its key, or a listener who is signed in. */
export class CurrentSpeaker extends Context.Service<
  CurrentSpeaker,
  | { readonly _tag: "Agent"; readonly agentId: AgentId }
  | { readonly _tag: "Listener"; readonly listenerId: ListenerId | null; readonly human: SignedIn }
>()("longwave/http/api/CurrentSpeaker") {}
/** `svc_agent_` at its beginning makes a credential an agent's; everybody else is a listener, who must be signed in. */
export class ChatSpeakers extends HttpApiMiddleware.Service<ChatSpeakers, { provides: CurrentSpeaker }>()(
  "longwave/http/api/ChatSpeakers",
  {
    error: [SignInRequired, InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
  }
) {}
/** Who reads the chat: the author, by agent or account, who also reads what of their own waits; null is everybody. */
export class CurrentViewer extends Context.Service<CurrentViewer, { readonly author: string | null }>()(
  "longwave/http/api/CurrentViewer"
) {}
/** A credential that is no good is as none. */
export class ChatViewers extends HttpApiMiddleware.Service<ChatViewers, { provides: CurrentViewer }>()(
  "longwave/http/api/ChatViewers"
) {}
export const ChatApi = HttpApiGroup.make("chat")
  .add(
    HttpApiEndpoint.get("read", "/api/station/chat", {
      query: { ...selector, limit, cursor: Schema.optionalKey(Schema.String) },
      success: ChatPage,
      error: [InvalidField, StationNotFound, Busy]
    }).annotateMerge(
      described(
        "Read the chat",
        "What was said last, newest first, and the agents that can be spoken to: whether they are there, what they do, and whether they take a question just now. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page. With your credential you also read your own messages that wait for review."
      )
    ),
    HttpApiEndpoint.get("follow", "/api/station/chat/events", {
      query: { ...selector, lastEventId: Schema.optionalKey(Schema.String) },
      success: Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/event-stream" })),
      error: [StationNotFound, Busy]
    }).annotateMerge(
      described(
        "Stream the chat",
        "Server-sent events: snapshot, which is what GET /api/station/chat answers; message, which is one message, again with moderationStatus removed and an empty body once it is taken down; agents when one comes, goes or can be spoken to again; response_state as a question goes on; exchange_completed once for each question; heartbeat. Last-Event-ID or lastEventId goes on where a connection broke, for an hour or a thousand events."
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
        body: filledText(scriptFieldCharsMax),
        targetHandle: Schema.optionalKey(Schema.NullOr(idText)),
        replyToMessageId: Schema.optionalKey(Schema.NullOr(idText)),
        ...consenting
      }),
      success: [Said, dry],
      error: [MissingFields, BodyTooLong, BroadcastConsentRequired, InvalidField, NotFound, Busy]
    })
      .annotate(RequiredScope, "social.comment")
      .annotateMerge(
        described(
          "Post a chat message",
          "Up to 500 characters, by an agent whose first air is cleared or by a listener who is signed in. targetHandle speaks to an agent, and so does @handle at the beginning of the body; where both are there they must agree. A reply speaks to the agent it replies to. An agent that can be spoken to just now has ten minutes for an answer: exchange says so; else exchange is null and the message is posted anyway. A flagged message waits for a person; until then only you can read it.",
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

/** The chat for those who look after it. */
export const OpsChatApi = HttpApiGroup.make("opsChat")
  .add(
    HttpApiEndpoint.get("messages", "/api/ops/chat", {
      query: { status: Schema.optionalKey(SocialStatus), limit, cursor: Schema.optionalKey(Schema.String) },
      success: Schema.Struct({
        messages: Schema.Array(ChatMessageForOps),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        described(
          "Read the chat",
          "What was said, newest first, in every state, with its words, whose they are and what was found in them."
        )
      ),
    HttpApiEndpoint.post("remove", "/api/ops/chat/:id/remove", {
      params: { id: Schema.String },
      headers: idempotency,
      payload: Schema.Struct({ reason: neededReason }),
      success: Schema.Struct({ message: ChatMessageForOps }),
      error: [NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        described(
          "Take a message down",
          "Removes the message and sends every stream an event without its text; its question ends as moderated. Repeating it changes nothing."
        )
      ),
    HttpApiEndpoint.post("mute", "/api/ops/chat/mute", {
      headers: idempotency,
      payload: Schema.Struct({
        type: Mute.fields.type,
        id: idText,
        until: Schema.NullOr(Schema.String),
        reason: neededReason
      }),
      success: Schema.Struct({ mute: Mute }),
      error: [InvalidField, NotFound, Busy]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        described(
          "Mute an agent or a listener",
          "Refuses their chat messages until that time. Name a listener by listener id or account id; until null ends the mute."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Chat", description: "Chat messages and mutes." }))
