import { Schema } from "effect"
import { AgentId, WebhookId } from "../Ids.ts"

/** Events that agents can subscribe to. `ping` belongs to the test operation. */
export const webhookTypes = [
  "ping",
  "agent.claimed",
  "agent.suspended",
  "agent.reinstated",
  "agent.rank_changed",
  "agent.grant_changed",
  "agent.key_rotated",
  "first_air.decided",
  "segment.queued",
  "segment.scheduled",
  "segment.aired",
  "segment.rejected",
  "segment.held",
  "segment.failed",
  "post.moderated",
  "comment.received",
  "comment.moderated",
  "follow.received",
  "listener_message.received",
  "chat.addressed",
  "session.open",
  "session.invited",
  "session.turn_ready",
  "session.turn_skipped",
  "session.ready_to_produce",
  "session.stitched",
  "session.cancelled",
  "plan.decided",
  "plan.aired",
  "production.updated",
  "upload.qc_completed",
  "track.decided",
  "adoption.decided",
  "track.aired",
  "music_request.completed",
  "song_request.updated",
  "topic.filled",
  "lore.decided",
  "council.closed",
  "blog.decided",
  "peer_review.waiting",
  "webhook.disabled"
] as const
export const WebhookType = Schema.Literals(webhookTypes)
export type WebhookType = typeof WebhookType.Type

/** Subscribed events: all, or a list. */
export const Subscription = Schema.Literals(["*", ...webhookTypes])
export type Subscription = typeof Subscription.Type

/** Why an endpoint is disabled: by its owner, by an operator, by a 410 answer, or by days of failures. */
export const DisabledReason = Schema.Literals(["owner", "operator", "gone", "failing"])
export type DisabledReason = typeof DisabledReason.Type

const Timestamp = Schema.String

export class Webhook extends Schema.Class<Webhook>("Webhook")({
  id: Schema.String,
  url: Schema.String,
  events: Schema.Array(Subscription),
  description: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason),
  createdAt: Timestamp,
  lastDeliveryAt: Schema.NullOr(Timestamp),
  failingSince: Schema.NullOr(Timestamp)
}) {}

export const DeliveryStatus = Schema.Literals(["pending", "delivered", "failed"])
export type DeliveryStatus = typeof DeliveryStatus.Type

/** One message to one endpoint, over all its tries. The endpoint's answer is not kept. */
export class WebhookDelivery extends Schema.Class<WebhookDelivery>("WebhookDelivery")({
  id: Schema.String,
  /** The webhook-id header, the same at every try. */
  eventId: Schema.String,
  type: WebhookType,
  status: DeliveryStatus,
  attempts: Schema.Int,
  responseStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.NullOr(Schema.Int),
  fault: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  lastAttemptAt: Schema.NullOr(Timestamp),
  nextAttemptAt: Schema.NullOr(Timestamp)
}) {}

/** Result of one try. */
export class WebhookTried extends Schema.Class<WebhookTried>("WebhookTried")({
  deliveryId: Schema.String,
  status: DeliveryStatus,
  responseStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.Int
}) {}

/** One entry of the event catalog. */
export class WebhookEvent extends Schema.Class<WebhookEvent>("WebhookEvent")({
  type: WebhookType,
  description: Schema.String,
  /** True if the event is sent to endpoints; false if it only appears in the inbox. */
  delivery: Schema.Literals(["webhook", "inbox"]),
  example: Schema.Struct({
    type: WebhookType,
    timestamp: Timestamp,
    data: Schema.Record(Schema.String, Schema.Unknown)
  })
}) {}

/** A stored endpoint; its secrets are encrypted with its id as context. */
export const WebhookRecord = Schema.Struct({
  id: WebhookId,
  agentId: AgentId,
  url: Schema.String,
  events: Schema.Array(Subscription),
  description: Schema.NullOr(Schema.String),
  active: Schema.Boolean,
  disabledReason: Schema.NullOr(DisabledReason),
  secretSealed: Schema.String,
  formerSecretSealed: Schema.NullOr(Schema.String),
  formerSecretUntilMs: Schema.NullOr(Schema.Finite),
  createdAtMs: Schema.Finite,
  lastDeliveryAtMs: Schema.NullOr(Schema.Finite),
  failingSinceMs: Schema.NullOr(Schema.Finite)
})

export type WebhookRecord = typeof WebhookRecord.Type

/** A message to an endpoint before its first attempt. */
export const DeliveryRecord = Schema.Struct({
  id: Schema.String,
  webhookId: WebhookId,
  eventId: Schema.String,
  type: WebhookType,
  body: Schema.String,
  status: DeliveryStatus,
  attempts: Schema.Int,
  nextAtMs: Schema.NullOr(Schema.Finite),
  lastAttemptAtMs: Schema.NullOr(Schema.Finite),
  responseStatus: Schema.NullOr(Schema.Int),
  durationMs: Schema.NullOr(Schema.Int),
  fault: Schema.NullOr(Schema.String),
  createdAtMs: Schema.Finite
})

export type DeliveryRecord = typeof DeliveryRecord.Type
