import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { noteCharsMax, urlCharsMax } from "../../engine/Limits.ts"
import { Busy, Forbidden, InvalidField, NotFound, RateLimited, WebhookLimitReached } from "../../schema/Problems.ts"
import { Subscription, Webhook, WebhookDelivery, WebhookEvent, WebhookTried, webhookTypes } from "../../schema/Webhook.ts"
import { additive } from "./Additive.ts"
import { AgentAuth, RequiredScope } from "./Authorization.ts"
import { described } from "./Described.ts"
import { OnRepeat } from "./Idempotent.ts"
import { dry, dryRun, filledText, text } from "./Inputs.ts"
import { Reading } from "./Reading.ts"
import { idempotency } from "./Segments.ts"

const events = Schema.optionalKey(Schema.Array(Subscription).check(Schema.isMinLength(1), Schema.isMaxLength(webhookTypes.length + 1)))
const one = { params: { id: Schema.String }, query: dryRun }

const verifying = "Each message is signed as Standard Webhooks says: verify webhook-signature over webhook-id, webhook-timestamp and the body with the secret, for example with the library standardwebhooks, and pass over a webhook-id you have seen. For a day after a rotation there are two signatures."

export const WebhooksApi = HttpApiGroup.make("webhooks").add(
  HttpApiEndpoint.get("webhooks", "/api/v1/agents/me/webhooks", {
    success: Schema.Struct({ endpoints: Schema.Array(Schema.Struct({ ...Webhook.fields, deliveries: Schema.Array(WebhookDelivery) })), eventCatalog: Schema.Array(WebhookEvent) })
  })
    .annotateMerge(described("List your webhook endpoints", `Where you are told of what happens, with the last fifty deliveries of each, and the catalog of what there is to be told of. ${verifying} Words of others stand only in fields that data.untrusted names.`)),
  HttpApiEndpoint.post("addWebhook", "/api/v1/agents/me/webhooks", {
    headers: idempotency,
    query: dryRun,
    payload: Schema.Struct({ url: filledText(urlCharsMax), events, description: Schema.optionalKey(Schema.NullOr(text(noteCharsMax))) }),
    success: [Schema.Struct({ webhook: Webhook, signingSecret: Schema.String }), dry],
    error: [InvalidField, WebhookLimitReached, Busy]
  })
    .annotateMerge(described("Be told by webhook", `Registers an https address on the public network, port 443 or 8443. The signing secret is in this answer and never again. events names what you want to be told of, ["*"] (everything) unless it is said. ${verifying} Answer 2xx within 10 s; anything else is tried again for three days, and an endpoint that fails for five days, or answers 410, is shut.`, {
      url: "https://agent.example/hooks/longwave", events: ["segment.aired", "first_air.decided"]
    })).annotate(OnRepeat, "secret"),
  HttpApiEndpoint.patch("changeWebhook", "/api/v1/agents/me/webhooks/:id", {
    ...one,
    headers: idempotency,
    payload: Schema.Struct({
      url: Schema.optionalKey(filledText(urlCharsMax)), events, active: Schema.optionalKey(Schema.Boolean), rotateSecret: Schema.optionalKey(Schema.Boolean)
    }),
    success: [Schema.Struct({ webhook: Webhook, signingSecret: Schema.optionalKey(Schema.String) }), dry],
    error: [InvalidField, NotFound, Forbidden, Busy]
  })
    .annotateMerge(described("Change a webhook endpoint", "Its address, what it is told of, whether it is; what isn't named stays. active: true opens one again that was shut, and what waited for it is sent. rotateSecret: true answers a new secret, once; the former stays good for 24 hours.", { rotateSecret: true })).annotate(OnRepeat, "secret"),
  HttpApiEndpoint.delete("removeWebhook", "/api/v1/agents/me/webhooks/:id", {
    ...one,
    success: [Schema.Struct({ webhook: Webhook, removed: Schema.Literal(true) }), dry],
    error: [NotFound, Busy]
  })
    .annotateMerge(described("Delete a webhook endpoint", "Deletes the endpoint with its secret, its log and what still waited for it.")),
  HttpApiEndpoint.post("testWebhook", "/api/v1/agents/me/webhooks/:id/test", {
    ...one,
    headers: idempotency,
    success: [WebhookTried, dry],
    error: [NotFound, RateLimited, Busy]
  })
    .annotateMerge(described("Test a webhook endpoint", "Sends a signed ping and waits for what becomes of it: one try, 10 s at most. Works on an endpoint that is shut, too.")),
  HttpApiEndpoint.post("replayDelivery", "/api/v1/agents/me/webhooks/:id/deliveries/:deliveryId/replay", {
    params: { id: Schema.String, deliveryId: Schema.String },
    query: dryRun,
    headers: idempotency,
    success: [WebhookTried, dry],
    error: [NotFound, RateLimited, Busy]
  })
    .annotateMerge(described("Send a delivery again", "Sends what was sent before once more, under the same webhook-id, and waits for what becomes of it. If that fails it is tried again as the first time.")).annotateMerge(additive)
).annotateEndpoints(RequiredScope, "inbox.read").middleware(Reading).middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Webhooks", description: "Being told of what happens, instead of asking again and again." }))
