import { Cause, Clock, Effect, Fiber, FiberMap, Metric, Option, Queue, Random, Result, Semaphore } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { Webhook as Signer } from "standardwebhooks"
import { Keys } from "../../engine/runtime/Keys.ts"
import {
  deliveriesInFlightMax,
  postRestMs,
  webhookAnswerMaxBytes,
  webhookTimeoutMs
} from "../../engine/rules/inbox/limits.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import { afterTry, retryAfterOf } from "../../engine/rules/inbox/WebhookRetry.ts"
import { type DeliveryRecord, WebhookDeliveries } from "../../engine/store/inbox/WebhookDeliveries.ts"
import { type WebhookRecord, Webhooks } from "../../engine/store/inbox/Webhooks.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import type { WebhookId } from "../../schema/Ids.ts"
import { WebhookTried } from "../../schema/inbox/Webhook.ts"
import { counted } from "../runtime/MessageCounters.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { Postman } from "./protocol/WebhookDelivery.ts"
import { emit } from "../runtime/emit.ts"

const tries = Metric.counter("webhook_tries_total", {
  description: "webhooks that were sent, by what became of the try"
})

/** A message is signed with every secret that is good at the time: for a day after a rotation, with two. */
const signed = Effect.fnUntraced(function* (
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

/** One try, from the store to the store: what ends it in between leaves the message to be tried again, under the same id. */
const tryOnce = Effect.fn("Postman.tryOnce")(function* (webhookId: WebhookId, deliveryId: string) {
  const deliveries = yield* WebhookDeliveries
  const webhooks = yield* Webhooks
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
      headers: yield* signed(endpoint, delivery),
      body: delivery.body,
      timeoutMs: webhookTimeoutMs,
      answerMaxBytes: webhookAnswerMaxBytes
    })
  )
  const nowMs = yield* Clock.currentTimeMillis
  const answer = Result.getOrNull(outcome)
  const tried = afterTry({
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
      yield* webhooks.tried(webhookId, { failingSinceMs: tried.failingSinceMs, atMs: nowMs })
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

/**
 * One endpoint's postman. It holds nothing that isn't in the store, so another goes on where this one fell. Endpoints share nothing but the way out: one that
 * hangs delays none, and one that fails gets its messages one at a time until it answers again.
 */
export const PostmanLive = Postman.toLayer(
  Effect.gen(function* () {
    const webhookId = (yield* Entity.CurrentAddress).entityId as unknown as WebhookId
    const deliveries = yield* WebhookDeliveries
    const webhooks = yield* Webhooks
    const inFlight = yield* FiberMap.make<string, WebhookTried, never>()
    const calls = yield* Queue.sliding<void>(1)
    const turn = yield* Semaphore.make(1)
    const hands = yield* Semaphore.make(deliveriesInFlightMax)

    /** What is being tried is not begun again: whoever asks for it waits for the try that there is. */
    const send = (deliveryId: string) =>
      turn.withPermits(1)(
        Effect.gen(function* () {
          const known = FiberMap.getUnsafe(inFlight, deliveryId)
          if (Option.isSome(known)) return known.value
          const fiber = yield* FiberMap.run(
            inFlight,
            deliveryId,
            hands
              .withPermits(1)(tryOnce(webhookId, deliveryId))
              .pipe(
                // What can't be written down now is sent again, but not at once.
                Effect.tapCause((cause) =>
                  Cause.hasInterruptsOnly(cause)
                    ? Effect.void
                    : Effect.andThen(
                        Effect.logWarning(`webhooks: ${deliveryId} was left as it was`, cause),
                        Effect.sleep(postRestMs)
                      )
                )
              )
          )
          // After the map's own: when the call is heard, there is room again.
          fiber.addObserver(() => Queue.offerUnsafe(calls, undefined))
          return fiber
        })
      )

    /** Sends what is due, as far as there is room; answers when there is more to do. */
    const round = Effect.gen(function* () {
      const endpoint = yield* webhooks.find(webhookId)
      if (endpoint === null || !endpoint.active) return Effect.never
      const busy = [...inFlight].map(([id]) => id)
      const room = (endpoint.failingSinceMs === null ? deliveriesInFlightMax : 1) - busy.length
      if (room <= 0) return Effect.never
      const due = yield* deliveries.due(webhookId, yield* Clock.currentTimeMillis, room, busy)
      for (const { id } of due) yield* send(id)
      if (due.length === room) return Effect.never
      const nextMs = yield* deliveries.nextDue(webhookId, [...busy, ...due.map(({ id }) => id)])
      return nextMs === null ? Effect.never : Effect.sleep(Math.max(0, nextMs - (yield* Clock.currentTimeMillis)))
    })

    const rounds = Effect.forever(
      round.pipe(
        // A store that is away for a while is no end.
        Effect.catchCause((cause) =>
          Cause.hasInterruptsOnly(cause)
            ? Effect.interrupt
            : Effect.as(Effect.logWarning("webhooks: a round was left out", cause), Effect.sleep(postRestMs))
        ),
        Effect.flatMap((more) => Effect.race(more, Queue.take(calls)))
      )
    )
    yield* Effect.forkScoped(rounds)

    return Postman.of({
      Collect: () => counted("Postman")(Effect.asVoid(Queue.offer(calls, undefined))),
      Send: ({ payload }) => Rpc.fork(counted("Postman")(Effect.flatMap(send(payload.deliveryId), Fiber.join)))
    })
  }),
  transient
)
