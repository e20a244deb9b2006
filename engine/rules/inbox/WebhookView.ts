import { Webhook, type WebhookRecord, WebhookDelivery, type DeliveryRecord } from "../../../schema/inbox/Webhook.ts"
import { isoOrNull } from "../../../schema/time/Instant.ts"

export const webhookView = ({
  active,
  createdAtMs,
  description,
  disabledReason,
  events,
  failingSinceMs,
  id,
  lastDeliveryAtMs,
  url
}: WebhookRecord): Webhook =>
  Webhook.make({
    id,
    url,
    events,
    description,
    active,
    disabledReason,
    createdAt: isoOrNull(createdAtMs)!,
    lastDeliveryAt: isoOrNull(lastDeliveryAtMs),
    failingSince: isoOrNull(failingSinceMs)
  })

export const deliveryView = ({
  attempts,
  createdAtMs,
  durationMs,
  eventId,
  fault,
  id,
  lastAttemptAtMs,
  nextAtMs,
  responseStatus,
  status,
  type
}: DeliveryRecord): WebhookDelivery =>
  WebhookDelivery.make({
    id,
    eventId,
    type,
    status,
    attempts,
    responseStatus,
    durationMs,
    fault,
    createdAt: isoOrNull(createdAtMs)!,
    lastAttemptAt: isoOrNull(lastAttemptAtMs),
    nextAttemptAt: isoOrNull(nextAtMs)
  })
