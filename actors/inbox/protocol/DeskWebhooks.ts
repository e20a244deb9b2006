import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import {
  Forbidden,
  InvalidField,
  NotFound,
  RateLimited,
  SubjectConflict,
  WebhookLimitReached
} from "../../../schema/Problems.ts"
import { Subscription, Webhook, WebhookDelivery, WebhookTried } from "../../../schema/inbox/Webhook.ts"
import { act } from "../../runtime/protocol.ts"

const one = { webhookId: Schema.String }

/** The agent's webhooks. A signing secret is only in the answer to its creation. */
export const deskWebhooks = [
  Rpc.make("AddWebhook", {
    payload: {
      url: Schema.String,
      events: Schema.Array(Subscription),
      description: Schema.NullOr(Schema.String)
    },
    success: Schema.Struct({ webhook: Webhook, signingSecret: Schema.String }),
    error: Schema.Union([InvalidField, WebhookLimitReached])
  }),
  /** Null leaves a field unchanged. */
  Rpc.make("ChangeWebhook", {
    payload: {
      ...one,
      url: Schema.NullOr(Schema.String),
      events: Schema.NullOr(Schema.Array(Subscription)),
      active: Schema.NullOr(Schema.Boolean),
      rotateSecret: Schema.Boolean
    },
    success: Schema.Struct({ webhook: Webhook, signingSecret: Schema.NullOr(Schema.String) }),
    error: Schema.Union([InvalidField, NotFound, Forbidden])
  }),
  Rpc.make("RemoveWebhook", { payload: one, success: Webhook, error: NotFound }),
  /** Sends a ping and answers its result. */
  Rpc.make("TestWebhook", { payload: one, success: WebhookTried, error: Schema.Union([NotFound, RateLimited]) }),
  /** Sends a delivery again under the same id. */
  Rpc.make("ReplayDelivery", {
    payload: { ...one, deliveryId: Schema.String },
    success: WebhookTried,
    error: Schema.Union([NotFound, RateLimited])
  }),
  /** Sends a delivery again, for an operator. */
  Rpc.make("ResendDelivery", {
    payload: { webhookId: Schema.String, deliveryId: Schema.String, ...act },
    success: WebhookDelivery,
    error: Schema.Union([NotFound, SubjectConflict])
  }),
  /** Disables or enables an endpoint. */
  Rpc.make("JudgeWebhook", {
    payload: { webhookId: Schema.String, active: Schema.Boolean, ...act },
    success: Webhook,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const
