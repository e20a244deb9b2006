import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MailLetter, MailSent } from "../../../schema/operations/Mail.ts"
import { Busy, InvalidField, NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { DeliveryStatus, Webhook, WebhookDelivery } from "../../../schema/inbox/Webhook.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, dry, dryRun, idText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const cursor = Schema.optionalKey(anyText)
const nextCursor = Schema.optionalKey(Schema.String)

const judgement = <
  const Name extends string,
  const Path extends `/${string}`,
  const Fields extends Schema.Struct.Fields
>(
  name: Name,
  path: Path,
  fields: Fields,
  summary: string,
  description: string
) =>
  HttpApiEndpoint.post(name, path, {
    params: { id: anyText },
    headers: idempotency,
    payload: Schema.Struct(fields),
    success: Schema.Struct({ webhook: Webhook }),
    error: [NotFound, SubjectConflict, Busy]
  })
    .annotate(RequiredRole, "producer")
    .annotateMerge(describe(summary, description))

/** Webhooks to agents and mail to people. */
export const DeliveriesApi = HttpApiGroup.make("deliveries")
  .add(
    HttpApiEndpoint.get("webhookHealth", "/api/ops/webhooks", {
      query: { status: Schema.optionalKey(DeliveryStatus), webhookId: Schema.optionalKey(idText), limit, cursor },
      success: Schema.Struct({
        counts: Schema.Struct({
          active: Schema.Int,
          failing: Schema.Int,
          disabled: Schema.Int,
          pending: Schema.Int,
          delivered: Schema.Int,
          failed: Schema.Int
        }),
        inTrouble: Schema.Array(Schema.Struct({ ...Webhook.fields, agentId: Schema.String, handle: Schema.String })),
        deliveries: Schema.Array(Schema.Struct({ ...WebhookDelivery.fields, webhookId: Schema.String })),
        nextCursor
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "Read the state of webhooks",
        "Statistics (deliveries of the last day), the failing and disabled endpoints, and the deliveries, newest first, in pages. status and webhookId filter deliveries. Payloads are at GET /api/ops/webhooks/deliveries/{id}."
      )
    ),
    judgement(
      "enableWebhook",
      "/api/ops/webhooks/:id/enable",
      { reason },
      "Enable an endpoint",
      "Enables an agent's endpoint again and sends its waiting deliveries."
    ),
    judgement(
      "disableWebhook",
      "/api/ops/webhooks/:id/disable",
      { reason: neededReason },
      "Disable an endpoint",
      "Stops deliveries to an endpoint until an operator enables it again; its agent can't."
    ),
    HttpApiEndpoint.get("delivery", "/api/ops/webhooks/deliveries/:id", {
      params: { id: anyText },
      success: Schema.Struct({
        delivery: Schema.Struct({ ...WebhookDelivery.fields, webhookId: Schema.String, body: Schema.String })
      }),
      error: [NotFound]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(describe("Read a delivery", "One delivery with the body that the endpoint gets.")),
    HttpApiEndpoint.post("resendDelivery", "/api/ops/webhooks/deliveries/:id/resend", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ reason }),
      success: [
        Schema.Struct({ delivery: Schema.Struct({ ...WebhookDelivery.fields, webhookId: Schema.String }) }),
        dry
      ],
      error: [NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Send a delivery again",
          "The same body under the same webhook-id, at once, with new tries. Refused while the endpoint is disabled.",
          { reason: "the endpoint lost its database" }
        )
      ),
    HttpApiEndpoint.get("letter", "/api/ops/mail/:id", {
      params: { id: anyText },
      success: Schema.Struct({ letter: Schema.NullOr(MailLetter) }),
      error: [NotFound, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Read a mail",
          "Subject and text of a mail of the last 7 days, with the recipient masked, and codes and links left out: they are for the recipient alone. null when the letter isn't kept any more."
        )
      ),
    HttpApiEndpoint.post("resendMail", "/api/ops/mail/:id/resend", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      payload: bodyOrNone({ reason }),
      success: [Schema.Struct({ mail: Schema.Struct({ id: Schema.String }) }), dry],
      error: [NotFound, SubjectConflict, Busy]
    })
      .annotate(RequiredRole, "admin")
      .annotateMerge(
        describe(
          "Send a mail again",
          "The same letter to the same recipient, as a new mail. Refused when its letter isn't kept any more or what it says has expired.",
          { reason: "it was lost on the way" }
        )
      ),
    HttpApiEndpoint.get("mail", "/api/ops/mail", {
      query: { limit, cursor },
      success: Schema.Struct({ mails: Schema.Array(MailSent), nextCursor }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "List the mail",
        "Sent mail with its delivery state, newest first. A letter is at GET /api/ops/mail/{id}, without its secrets; without a mail server the messages are in DATA_DIR/outbox."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Post office", description: "Webhooks to agents and mail to people." }))
