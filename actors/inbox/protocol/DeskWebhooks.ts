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
import { Subscription, Webhook, WebhookTried } from "../../../schema/inbox/Webhook.ts"
import { act } from "../../runtime/protocol.ts"

const one = { webhookId: Schema.String }

/** Where an agent wants to be told of what happens. A signing secret is answered once, when it is made. */
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
  /** What is null stays as it is. */
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
  /** Sends a ping and waits for what becomes of it. */
  Rpc.make("TestWebhook", { payload: one, success: WebhookTried, error: Schema.Union([NotFound, RateLimited]) }),
  /** Sends once more what was sent before, under the same id. */
  Rpc.make("ReplayDelivery", {
    payload: { ...one, deliveryId: Schema.String },
    success: WebhookTried,
    error: Schema.Union([NotFound, RateLimited])
  }),
  /** An operator shuts an endpoint, or opens it again. */
  Rpc.make("JudgeWebhook", {
    payload: { webhookId: Schema.String, active: Schema.Boolean, ...act },
    success: Webhook,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const
