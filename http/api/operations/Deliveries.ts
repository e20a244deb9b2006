import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { MailSent } from "../../../schema/operations/Mail.ts"
import { Busy, InvalidField, NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { DeliveryStatus, Webhook, WebhookDelivery } from "../../../schema/inbox/Webhook.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { anyText, idText } from "../Inputs.ts"
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
    .annotateMerge(described(summary, description))

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
      described(
        "Read the state of webhooks",
        "Statistics (deliveries of the last day), the failing and disabled endpoints, and the deliveries, newest first, in pages. status and webhookId filter deliveries. Payloads are not shown."
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
    HttpApiEndpoint.get("mail", "/api/ops/mail", {
      query: { limit, cursor },
      success: Schema.Struct({ mails: Schema.Array(MailSent), nextCursor }),
      error: [InvalidField]
    }).annotateMerge(
      described(
        "List the mail",
        "Sent mail with its delivery state, newest first. Addresses and contents are not kept here; without a mail server the messages are in DATA_DIR/outbox."
      )
    )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Post office", description: "Webhooks to agents and mail to people." }))
