import { Clock, Effect, Semaphore } from "effect"
import { randomBytes } from "node:crypto"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import {
  formerSecretHours,
  idempotencySecretSec,
  webhookTestsPerHourMax,
  webhooksMax,
  webhookSendMs
} from "../../engine/rules/inbox/limits.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { payloadOf } from "../../engine/rules/inbox/WebhookMessage.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { Transaction } from "../../engine/store/sql/Transaction.ts"
import { WebhookDeliveriesWriter } from "../../engine/store/inbox/WebhookDeliveries.ts"
import { type WebhookRecord, WebhooksWriter, webhookView } from "../../engine/store/inbox/Webhooks.ts"
import type { AgentId, WebhookId } from "../../schema/Ids.ts"
import { Forbidden, InvalidField, NotFound, SubjectConflict, WebhookLimitReached } from "../../schema/Problems.ts"
import { type Subscription, WebhookTried } from "../../schema/inbox/Webhook.ts"
import { record } from "../runtime/audit.ts"
import { deliverTo, sendOnce } from "./WebhookWorker.ts"
import { spendAllowance } from "../runtime/spendAllowance.ts"

export const webhookTests = { name: "webhook_tests", perHour: webhookTestsPerHourMax }
const makeSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`
/** What strangers are told of the address they sent. */
const checked = Effect.fnUntraced(function* (url: string) {
  return yield* Effect.mapError(
    (yield* Outbound).check(url),
    ({ detail }) =>
      new InvalidField({
        detail: `The address ${detail}. Name an https address of a host on the public network.`,
        errors: [{ pointer: "/url", code: "INVALID_FIELD", detail }]
      })
  )
})
const owned = Effect.fnUntraced(function* (agentId: AgentId, webhookId: string, toChange = false) {
  const webhooks = yield* WebhooksWriter
  const found = yield* toChange ? webhooks.hold(webhookId) : webhooks.find(webhookId)
  return found?.agentId === agentId ? found : yield* new NotFound({ detail: "You have no endpoint with this id." })
})
interface Addition {
  readonly commandKey: string
  readonly url: string
  readonly events: ReadonlyArray<Subscription>
  readonly description: string | null
  readonly dryRun: boolean
}
const add = Effect.fn("Desk.addWebhook")(function* (agentId: AgentId, given: Addition) {
  const webhooks = yield* WebhooksWriter
  const keys = yield* Keys
  const nowMs = yield* Clock.currentTimeMillis
  const before = yield* webhooks.byCommand(agentId, given.commandKey, nowMs - idempotencySecretSec * 1_000)
  if (before !== null) return { webhook: webhookView(before), signingSecret: keys.open(before.secretSealed, before.id) }
  const id = (yield* (yield* IdSource).make("whk")) as WebhookId
  const signingSecret = makeSecret()
  const webhook = {
    id,
    agentId,
    url: given.url,
    events: given.events,
    description: given.description,
    commandKey: given.commandKey,
    secretSealed: keys.seal(signingSecret, id),
    createdAtMs: nowMs
  }
  const added = given.dryRun ? (yield* webhooks.of(agentId)).length < webhooksMax : yield* webhooks.add(webhook)
  if (!added) return yield* new WebhookLimitReached({ detail: `An agent has ${webhooksMax} endpoints at most.` })
  const view = webhookView({
    ...webhook,
    active: true,
    disabledReason: null,
    formerSecretSealed: null,
    formerSecretUntilMs: null,
    lastDeliveryAtMs: null,
    failingSinceMs: null
  })
  return { webhook: view, signingSecret: given.dryRun ? "" : signingSecret }
})
interface Change {
  readonly webhookId: string
  readonly url: string | null
  readonly events: ReadonlyArray<Subscription> | null
  readonly active: boolean | null
  readonly rotateSecret: boolean
  readonly dryRun: boolean
}
const change = Effect.fn("Desk.changeWebhook")(function* (agentId: AgentId, given: Change) {
  const before = yield* owned(agentId, given.webhookId, true)
  if (before.disabledReason === "operator" && given.active === true)
    return yield* new Forbidden({ detail: "An operator disabled this endpoint. Ask the station's operators." })
  const keys = yield* Keys
  const nowMs = yield* Clock.currentTimeMillis
  const signingSecret = given.rotateSecret ? makeSecret() : null
  const rotated =
    signingSecret === null
      ? {}
      : {
          secretSealed: keys.seal(signingSecret, before.id),
          formerSecretSealed: before.secretSealed,
          formerSecretUntilMs: nowMs + formerSecretHours * hourMs
        }
  const switched =
    given.active === null
      ? {}
      : { active: given.active, disabledReason: given.active ? null : (before.disabledReason ?? ("owner" as const)) }
  // What failed elsewhere, or before it was opened again, says nothing about how it does now.
  const failingSinceMs =
    given.active === true || (given.url !== null && given.url !== before.url) ? null : before.failingSinceMs
  const after: WebhookRecord = {
    ...before,
    url: given.url ?? before.url,
    events: given.events ?? before.events,
    ...switched,
    ...rotated,
    failingSinceMs
  }
  if (!given.dryRun) yield* Effect.andThen((yield* WebhooksWriter).save(after), deliverTo(after.id))
  return { webhook: webhookView(after), signingSecret: given.dryRun ? null : signingSecret }
})
const remove = Effect.fn("Desk.removeWebhook")(function* (
  agentId: AgentId,
  { dryRun, webhookId }: { readonly webhookId: string; readonly dryRun: boolean }
) {
  const webhook = yield* owned(agentId, webhookId)
  if (!dryRun) yield* (yield* WebhooksWriter).remove(webhook.id)
  return webhookView(webhook)
})
const ping = Effect.fn("Desk.ping")(function* (
  agentId: AgentId,
  { dryRun, webhookId }: { readonly webhookId: string; readonly dryRun: boolean }
) {
  const { id } = yield* owned(agentId, webhookId)
  const ids = yield* IdSource
  const nowMs = yield* Clock.currentTimeMillis
  const deliveryId = yield* ids.make("dlv")
  const body = payloadOf("ping", new Date(nowMs).toISOString(), {
    id,
    agentId,
    station: { slug: (yield* StationFacts).slug }
  })
  const eventId = yield* ids.make("evt")
  yield* (yield* Transaction).run(
    Effect.andThen(
      spendAllowance(webhookTests, agentId, dryRun),
      dryRun
        ? Effect.void
        : Effect.flatMap(WebhookDeliveriesWriter, (deliveries) =>
            Effect.andThen(
              deliveries.add({
                id: deliveryId,
                webhookId: id,
                eventId,
                type: "ping",
                body,
                nextAtMs: nowMs + webhookSendMs,
                createdAtMs: nowMs
              }),
              deliverTo(id, nowMs + webhookSendMs)
            )
          )
    )
  )
  return deliveryId
})
const rearm = Effect.fn("Desk.rearm")(function* (
  agentId: AgentId,
  {
    deliveryId,
    dryRun,
    webhookId
  }: { readonly webhookId: string; readonly deliveryId: string; readonly dryRun: boolean }
) {
  const { id } = yield* owned(agentId, webhookId)
  const deliveries = yield* WebhookDeliveriesWriter
  const nowMs = yield* Clock.currentTimeMillis
  if ((yield* deliveries.find(id, deliveryId)) === null)
    return yield* new NotFound({ detail: "This endpoint has no such delivery. They are kept for 30 days." })
  yield* (yield* Transaction).run(
    Effect.andThen(
      spendAllowance(webhookTests, agentId, dryRun),
      dryRun
        ? Effect.void
        : Effect.andThen(deliveries.rearm(deliveryId, nowMs + webhookSendMs), deliverTo(id, nowMs + webhookSendMs))
    )
  )
  return deliveryId
})
const judge = Effect.fn("Desk.judgeWebhook")(function* (
  agentId: AgentId,
  {
    active,
    webhookId,
    ...act
  }: { readonly webhookId: string; readonly active: boolean; readonly actor: string; readonly reason: string | null }
) {
  return yield* (yield* Transaction).run(
    Effect.gen(function* () {
      const before = yield* owned(agentId, webhookId, true)
      if (before.active === active)
        return yield* new SubjectConflict({ detail: active ? "It is open." : "It is shut already." })
      const after: WebhookRecord = {
        ...before,
        active,
        disabledReason: active ? null : "operator",
        failingSinceMs: active ? null : before.failingSinceMs
      }
      yield* Effect.andThen((yield* WebhooksWriter).save(after), deliverTo(after.id))
      const seen = ({ active, disabledReason }: WebhookRecord) => ({ active, disabledReason })
      yield* record(
        act,
        active ? "webhook.enable" : "webhook.disable",
        { type: "webhook", id: webhookId },
        seen(before),
        seen(after)
      )
      return webhookView(after)
    })
  )
})
/** One agent's endpoints. What waits for strangers' servers does so off the mailbox; what changes them is done one after the other. */
export const deskWebhooks = Effect.fnUntraced(function* (agentId: AgentId) {
  const turn = yield* Semaphore.make(1)
  const inTurn = turn.withPermits(1)
  const sent = (webhookId: string, dryRun: boolean) => (deliveryId: string) =>
    dryRun
      ? Effect.succeed(WebhookTried.make({ deliveryId, status: "pending", responseStatus: null, durationMs: 0 }))
      : sendOnce(webhookId as WebhookId, deliveryId)
  return {
    AddWebhook: ({ payload }: { readonly payload: Addition }) =>
      Effect.flatMap(checked(payload.url), (url) => inTurn(add(agentId, { ...payload, url }))),
    ChangeWebhook: Effect.fnUntraced(function* ({ payload }: { readonly payload: Change }) {
      yield* owned(agentId, payload.webhookId)
      const url = payload.url === null ? null : yield* checked(payload.url)
      const { run } = yield* Transaction
      return yield* inTurn(run(change(agentId, { ...payload, url })))
    }),
    RemoveWebhook: ({ payload }: { readonly payload: { readonly webhookId: string; readonly dryRun: boolean } }) =>
      inTurn(remove(agentId, payload)),
    TestWebhook: ({ payload }: { readonly payload: { readonly webhookId: string; readonly dryRun: boolean } }) =>
      Effect.flatMap(inTurn(ping(agentId, payload)), sent(payload.webhookId, payload.dryRun)),
    ReplayDelivery: ({
      payload
    }: {
      readonly payload: { readonly webhookId: string; readonly deliveryId: string; readonly dryRun: boolean }
    }) => Effect.flatMap(inTurn(rearm(agentId, payload)), sent(payload.webhookId, payload.dryRun)),
    JudgeWebhook: ({ payload }: { readonly payload: Parameters<typeof judge>[1] }) => inTurn(judge(agentId, payload))
  }
})
