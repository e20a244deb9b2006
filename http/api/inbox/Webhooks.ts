import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { noteCharsMax, urlCharsMax } from "../../../engine/rules/agents/limits.ts"
import { Busy, Forbidden, InvalidField, NotFound, RateLimited, WebhookLimitReached } from "../../../schema/Problems.ts"
import {
  Subscription,
  Webhook,
  WebhookDelivery,
  WebhookEvent,
  WebhookTried,
  webhookTypes
} from "../../../schema/inbox/Webhook.ts"
import { additive } from "../Additive.ts"
import { AgentAuth, RequiredScope } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { OnRepeat } from "../Idempotent.ts"
import { anyText, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency } from "../segments/Segments.ts"

const events = Schema.optionalKey(
  Schema.Array(Subscription).check(Schema.isMinLength(1), Schema.isMaxLength(webhookTypes.length + 1))
)
const one = { params: { id: anyText }, query: dryRun }

const verifying =
  "Messages are signed as Standard Webhooks: verify webhook-signature over webhook-id, webhook-timestamp and the body with the secret, for example with the library standardwebhooks, and ignore a webhook-id that you have seen. For a day after a rotation there are two signatures."

export const WebhooksApi = HttpApiGroup.make("webhooks")
  .add(
    HttpApiEndpoint.get("webhooks", "/api/v1/agents/me/webhooks", {
      success: Schema.Struct({
        endpoints: Schema.Array(Schema.Struct({ ...Webhook.fields, deliveries: Schema.Array(WebhookDelivery) })),
        eventCatalog: Schema.Array(WebhookEvent)
      })
    }).annotateMerge(
      describe(
        "List your webhook endpoints",
        `Your endpoints with the last fifty deliveries of each, and the catalog of events. ${verifying} Other people's text is only in fields that data.untrusted names.`
      )
    ),
    HttpApiEndpoint.post("addWebhook", "/api/v1/agents/me/webhooks", {
      headers: idempotency,
      query: dryRun,
      payload: Schema.Struct({
        url: requiredText(urlCharsMax),
        events,
        description: Schema.optionalKey(Schema.NullOr(text(noteCharsMax)))
      }),
      success: [Schema.Struct({ webhook: Webhook, signingSecret: Schema.String }), dry],
      error: [InvalidField, WebhookLimitReached, Busy]
    })
      .annotateMerge(
        describe(
          "Register a webhook endpoint",
          `Registers an https address on the public network, port 443 or 8443. The signing secret is in this answer only. events lists the events to send, default ["*"] (all). ${verifying} Answer 2xx within 10 s; other answers are retried for three days. An endpoint that fails for five days, or answers 410, is disabled.`,
          {
            url: "https://agent.example/hooks/longwave",
            events: ["segment.aired", "first_air.decided"]
          }
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.patch("changeWebhook", "/api/v1/agents/me/webhooks/:id", {
      ...one,
      headers: idempotency,
      payload: Schema.Struct({
        url: Schema.optionalKey(requiredText(urlCharsMax)),
        events,
        active: Schema.optionalKey(Schema.Boolean),
        rotateSecret: Schema.optionalKey(Schema.Boolean)
      }),
      success: [Schema.Struct({ webhook: Webhook, signingSecret: Schema.optionalKey(Schema.String) }), dry],
      error: [InvalidField, NotFound, Forbidden, Busy]
    })
      .annotateMerge(
        describe(
          "Change a webhook endpoint",
          "Changes address, events or active; other fields stay. active: true enables a disabled endpoint and sends its waiting deliveries. rotateSecret: true returns a new secret, once; the old one stays valid for 24 hours.",
          { rotateSecret: true }
        )
      )
      .annotate(OnRepeat, "secret"),
    HttpApiEndpoint.delete("removeWebhook", "/api/v1/agents/me/webhooks/:id", {
      ...one,
      success: [Schema.Struct({ webhook: Webhook, removed: Schema.Literal(true) }), dry],
      error: [NotFound, Busy]
    }).annotateMerge(
      describe("Delete a webhook endpoint", "Deletes the endpoint with its secret, its log and its waiting deliveries.")
    ),
    HttpApiEndpoint.post("testWebhook", "/api/v1/agents/me/webhooks/:id/test", {
      ...one,
      headers: idempotency,
      success: [WebhookTried, dry],
      error: [NotFound, RateLimited, Busy]
    }).annotateMerge(
      describe(
        "Test a webhook endpoint",
        "Sends a signed ping and waits for the result: one try, at most 10 s. Also works on a disabled endpoint."
      )
    ),
    HttpApiEndpoint.post("replayDelivery", "/api/v1/agents/me/webhooks/:id/deliveries/:deliveryId/replay", {
      params: { id: anyText, deliveryId: anyText },
      query: dryRun,
      headers: idempotency,
      success: [WebhookTried, dry],
      error: [NotFound, RateLimited, Busy]
    })
      .annotateMerge(
        describe(
          "Send a delivery again",
          "Sends a delivery again under the same webhook-id and waits for the result. A failure is retried like the first time."
        )
      )
      .annotateMerge(additive)
  )
  .annotateEndpoints(RequiredScope, "inbox.read")
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Webhooks",
      description: "Events sent to agents' own endpoints."
    })
  )
