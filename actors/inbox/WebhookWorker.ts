import { Clock, Effect, Metric, Queue, Random, Result } from "effect"
import { Webhook as Signer } from "standardwebhooks"
import { Keys } from "../../engine/runtime/Keys.ts"
import {
  deliveriesInFlightMax,
  deliveriesKeptDays,
  deliveriesLookMs,
  endpointsAtOnceMax,
  postRestMs,
  webhookAnswerMaxBytes,
  webhookTimeoutMs
} from "../../engine/rules/inbox/limits.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import { applyTry, retryAfterOf } from "../../engine/rules/inbox/WebhookRetry.ts"
import { WebhookDeliveries, WebhookDeliveriesWriter } from "../../engine/store/inbox/WebhookDeliveries.ts"
import { Webhooks, WebhooksWriter } from "../../engine/store/inbox/Webhooks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { WebhookId } from "../../schema/Ids.ts"
import { WebhookTried, type WebhookRecord, type DeliveryRecord } from "../../schema/inbox/Webhook.ts"
import { dayMs, hourMs } from "../../schema/time/Units.ts"
import { addJob, backOff, repeatEvery, jobHandler, Later, purgeJob } from "../runtime/Jobs.ts"
import { emit } from "../runtime/emit.ts"
import { logFailure } from "../runtime/Supervision.ts"
import { Deliver } from "./protocol/Jobs.ts"

const tries = Metric.counter("webhook_tries_total", {
  description: "attempts to deliver webhooks, by outcome"
})

/** Request headers, signed with every valid secret: two for a day after a rotation. */
const signHeaders = Effect.fnUntraced(function* (
  { formerSecretSealed, formerSecretUntilMs, id, secretSealed }: WebhookRecord,
  { body, eventId }: DeliveryRecord
) {
  const keys = yield* Keys
  const nowMs = yield* Clock.currentTimeMillis
  const sealed = [
    secretSealed,
    ...(formerSecretSealed !== null && (formerSecretUntilMs ?? 0) > nowMs ? [formerSecretSealed] : [])
  ]
  return {
    "content-type": "application/json",
    "user-agent": "longwave-webhooks/1",
    "webhook-id": eventId,
    "webhook-timestamp": String(Math.floor(nowMs / 1_000)),
    "webhook-signature": sealed
      .map((secret) => new Signer(keys.open(secret, id)).sign(eventId, new Date(nowMs), body))
      .join(" ")
  }
})

/** Sends a delivery once and stores the result. If it is interrupted, the delivery is sent again under the same id. */
export const sendOnce = Effect.fnUntraced(function* (webhookId: WebhookId, deliveryId: string) {
  const deliveries = yield* WebhookDeliveriesWriter
  const webhooks = yield* WebhooksWriter
  const [endpoint, delivery] = [yield* webhooks.find(webhookId), yield* deliveries.find(webhookId, deliveryId)]
  if (endpoint === null || delivery === null)
    return WebhookTried.make({ deliveryId, status: "failed", responseStatus: null, durationMs: 0 })
  if (delivery.status !== "pending")
    return WebhookTried.make({
      deliveryId,
      status: delivery.status,
      responseStatus: delivery.responseStatus,
      durationMs: delivery.durationMs ?? 0
    })
  const begunMs = yield* Clock.currentTimeMillis
  const outcome = yield* Effect.result(
    (yield* Outbound).ask({
      url: endpoint.url,
      method: "POST",
      headers: yield* signHeaders(endpoint, delivery),
      body: delivery.body,
      timeoutMs: webhookTimeoutMs,
      answerMaxBytes: webhookAnswerMaxBytes
    })
  )
  const nowMs = yield* Clock.currentTimeMillis
  const answer = Result.getOrNull(outcome)
  const tried = applyTry({
    attempts: delivery.attempts,
    responseStatus: answer?.status ?? null,
    retryAfterMs: retryAfterOf(answer?.headers["retry-after"], nowMs),
    isOnce: delivery.type === "ping",
    failingSinceMs: endpoint.failingSinceMs,
    nowMs,
    jitter: yield* Random.next
  })
  const fault = Result.isFailure(outcome)
    ? outcome.failure.detail
    : tried.status === "delivered"
      ? null
      : `answered ${outcome.success.status}`
  const settled = {
    status: tried.status,
    attempts: delivery.attempts + 1,
    nextAtMs: tried.nextAtMs,
    lastAttemptAtMs: begunMs,
    responseStatus: answer?.status ?? null,
    durationMs: nowMs - begunMs,
    fault
  }
  yield* (yield* Transaction).run(
    Effect.gen(function* () {
      yield* deliveries.settle(deliveryId, settled)
      yield* webhooks.recordTry(webhookId, { failingSinceMs: tried.failingSinceMs, atMs: nowMs })
      if (tried.disable !== null && (yield* webhooks.disable(webhookId, tried.disable)))
        yield* emit({ _tag: "WebhookDisabled", agentId: endpoint.agentId, webhookId, reason: tried.disable })
    })
  )
  yield* Metric.update(Metric.withAttributes(tries, { outcome: tried.status }), 1)
  return WebhookTried.make({
    deliveryId,
    status: settled.status,
    responseStatus: settled.responseStatus,
    durationMs: settled.durationMs
  })
})

/** Adds the job that sends an endpoint's due deliveries. */
export const deliverTo = (webhookId: WebhookId, runAtMs?: number) =>
  addJob(Deliver, { key: webhookId, payload: { webhookId }, ...(runAtMs === undefined ? {} : { runAtMs }) })

/**
 * Sends an endpoint's due deliveries and reschedules itself for the next retry. Endpoints only share the outbound client, so a hanging one
 * delays no other. A failing endpoint gets one delivery at a time until it answers.
 */
const deliver = jobHandler(Deliver, {
  atOnce: endpointsAtOnceMax,
  restMs: backOff(postRestMs, 60_000),
  work: Effect.fnUntraced(function* ({ webhookId }) {
    const deliveries = yield* WebhookDeliveries
    const inFlight = new Set<string>()
    const ended = yield* Queue.sliding<void>(1)
    const send = Effect.fnUntraced(function* (id: string) {
      inFlight.add(id)
      yield* Effect.forkChild(
        logFailure(
          `webhooks: ${id} was left as it was`,
          // Not at once, when the result could not be stored.
          Effect.tapCause(sendOnce(webhookId, id), () => Effect.sleep(postRestMs))
        ).pipe(
          Effect.ensuring(
            Effect.suspend(() => {
              inFlight.delete(id)
              return Queue.offer(ended, undefined)
            })
          )
        )
      )
    })
    for (;;) {
      const endpoint = yield* (yield* Webhooks).find(webhookId)
      const handsMax = endpoint?.failingSinceMs === null ? deliveriesInFlightMax : 1
      const room = endpoint?.active === true ? handsMax - inFlight.size : 0
      if (room > 0)
        for (const { id } of yield* deliveries.listDue(webhookId, yield* Clock.currentTimeMillis, room, [...inFlight]))
          yield* send(id)
      if (inFlight.size === 0) {
        const runAtMs = room > 0 ? yield* deliveries.findNextDue(webhookId) : null
        return runAtMs === null ? undefined : new Later({ runAtMs, reason: null })
      }
      // A running job is not woken by new deliveries: poll.
      yield* Effect.raceFirst(Queue.take(ended), Effect.sleep(deliveriesLookMs))
    }
  })
})

export const webhookJobs = [
  deliver,
  purgeJob("inbox.purge_deliveries", {
    next: repeatEvery(hourMs),
    batch: (nowMs) =>
      Effect.flatMap(WebhookDeliveriesWriter, (deliveries) => deliveries.purge(nowMs - deliveriesKeptDays * dayMs))
  })
] as const
