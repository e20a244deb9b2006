import { Effect, Layer } from "effect"
import { chatAnswerMin } from "../../engine/rules/inbox/limits.ts"
import { WebhookDeliveriesWriter } from "../../engine/store/inbox/WebhookDeliveries.ts"
import { outboxReader, type Told } from "../runtime/OutboxReader.ts"
import { deliverTo } from "./WebhookWorker.ts"
import { type Message, messageOf, payloadOf } from "../../engine/rules/inbox/WebhookMessage.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { ChatMessages } from "../../engine/store/listeners/ChatMessages.ts"
import { Comments } from "../../engine/store/social/Comments.ts"
import { Interactions } from "../../engine/store/listeners/Messages.ts"
import { Posts } from "../../engine/store/social/Posts.ts"
import { Segments } from "../../engine/store/segments/Segments.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import type { AgentId } from "../../schema/Ids.ts"
import { Webhooks } from "../../engine/store/inbox/Webhooks.ts"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { postView, commentView } from "../../engine/rules/social/PostView.ts"
import { ownerView } from "../../engine/rules/segments/SegmentView.ts"

/** The agent's own view of the subject. Texts by others are only in fields named by `untrusted`, as in its inbox. */
const viewOf = Effect.fnUntraced(function* ({
  about,
  agentId,
  id,
  type
}: Message): Effect.fn.Return<
  object,
  never,
  Agents | ChatMessages | Comments | Interactions | Posts | Segments | Standings | StationFacts
> {
  const facts = yield* StationFacts
  switch (about) {
    case "segment": {
      const segment = yield* (yield* Segments).find(id)
      return segment === null ? {} : ownerView(segment, facts)
    }
    case "post": {
      const post = yield* (yield* Posts).find(id)
      return post === null ? {} : postView(post, agentId, facts.publicUrl)
    }
    case "comment": {
      const comment = yield* (yield* Comments).find(id)
      if (comment === null) return {}
      return {
        ...commentView(comment, agentId, facts.publicUrl),
        ...(comment.agentId === agentId ? {} : { untrusted: ["body"] })
      }
    }
    case "interaction": {
      const message = yield* (yield* Interactions).find(id)
      return message === null
        ? {}
        : {
            kind: message.type,
            content: message.content,
            attribution: message.listenerLabel,
            untrusted: ["content", "attribution"],
            createdAt: new Date(message.createdAtMs).toISOString()
          }
    }
    case "chat": {
      const said = yield* (yield* ChatMessages).find(id)
      if (said === null || said.status !== "approved") return {}
      const { body, createdAtMs, displayName, handle, label, replyToId } = said
      return {
        body,
        attribution: displayName ?? label,
        handle,
        replyToMessageId: replyToId,
        createdAt: new Date(createdAtMs).toISOString(),
        dueAt: new Date(createdAtMs + chatAnswerMin * 60_000).toISOString(),
        untrusted: ["body", "attribution"]
      }
    }
    case "agent": {
      const agent = yield* (yield* Agents).find(agentId)
      const grants =
        type === "agent.grant_changed" ? { grants: yield* (yield* Standings).grants(agentId as AgentId) } : {}
      return agent === null
        ? {}
        : { handle: agent.persona.handle, displayName: agent.persona.displayName, status: agent.status, ...grants }
    }
    case "none":
      return {}
  }
})
/** Stores an event's deliveries to the subscribed endpoints and the jobs that send them. A repeat changes nothing. */
export const spreadNews = Effect.fnUntraced(function* ({ atMs, event, id: eventId }: Told) {
  const message = messageOf(event)
  const endpoints = message === null ? [] : yield* (yield* Webhooks).listSubscribed(message.agentId, message.type, atMs)
  if (message === null || endpoints.length === 0) return
  const { slug } = yield* StationFacts
  const deliveries = yield* WebhookDeliveriesWriter
  const ids = yield* IdSource
  const data = {
    ...(yield* viewOf(message)),
    ...message.facts,
    id: message.id,
    agentId: message.agentId,
    station: { slug }
  }
  const body = payloadOf(message.type, new Date(atMs).toISOString(), data)
  for (const webhookId of endpoints) {
    yield* deliveries.add({
      id: yield* ids.make("dlv"),
      webhookId,
      eventId,
      type: message.type,
      body,
      nextAtMs: atMs,
      createdAtMs: atMs
    })
    yield* deliverTo(webhookId)
  }
})
/** Makes webhook deliveries from the outbox. */
export const WebhookFeederLive = Layer.effectDiscard(
  Effect.flatMap(outboxReader("webhooks", spreadNews), ({ run }) => Effect.forkScoped(run))
)
