import { Clock, Effect } from "effect"
import { randomBytes } from "node:crypto"
import { IdSource } from "../../engine/runtime/IdSource.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import {
  formerSecretHours,
  webhookTestsPerHourMax,
  webhooksMax,
  webhookSendMs
} from "../../engine/rules/inbox/limits.ts"
import { Outbound } from "../../engine/ports/Outbound.ts"
import { hourMs } from "../../schema/time/Units.ts"
import { payloadOf } from "../../engine/rules/inbox/WebhookMessage.ts"
import { StationFacts } from "../../engine/store/sql/StationFacts.ts"
import { WebhookDeliveriesWriter } from "../../engine/store/inbox/WebhookDeliveries.ts"
import { WebhooksWriter } from "../../engine/store/inbox/Webhooks.ts"
import type { AgentId, WebhookId } from "../../schema/Ids.ts"
import { Forbidden, InvalidField, NotFound, SubjectConflict, WebhookLimitReached } from "../../schema/Problems.ts"
import { type Subscription, WebhookTried, type WebhookRecord } from "../../schema/inbox/Webhook.ts"
import { type Act, record } from "../runtime/audit.ts"
import { deliverTo, sendOnce } from "./WebhookWorker.ts"
import { command } from "../runtime/Command.ts"
import { deliveryView, webhookView } from "../../engine/rules/inbox/WebhookView.ts"
import { makeTurns } from "../runtime/turns.ts"

export const webhookTests = { name: "webhook_tests", perHour: webhookTestsPerHourMax }
const makeSecret = (): string => `whsec_${randomBytes(32).toString("base64")}`
/** Checks an endpoint's URL. Fails with InvalidField. */
const checkUrl = Effect.fnUntraced(function* (url: string) {
  return yield* Effect.mapError(
    (yield* Outbound).check(url),
    ({ detail }) =>
      new InvalidField({
        detail: `The address ${detail}. Name an https address of a host on the public network.`,
        errors: [{ pointer: "/url", code: "INVALID_FIELD", detail }]
      })
  )
})
const findOwned = Effect.fnUntraced(function* (agentId: AgentId, webhookId: string, toChange = false) {
  const webhooks = yield* WebhooksWriter
  const found = yield* toChange ? webhooks.hold(webhookId) : webhooks.find(webhookId)
  return found?.agentId === agentId ? found : yield* new NotFound({ detail: "You have no endpoint with this id." })
})
interface Addition {
  readonly url: string
  readonly events: ReadonlyArray<Subscription>
  readonly description: string | null
}
const add = Effect.fnUntraced(function* (agentId: AgentId, given: Addition) {
  const keys = yield* Keys
  const id = (yield* (yield* IdSource).make("whk")) as WebhookId
  const signingSecret = makeSecret()
  const webhook = {
    ...given,
    id,
    agentId,
    secretSealed: keys.seal(signingSecret, id),
    createdAtMs: yield* Clock.currentTimeMillis
  }
  if (!(yield* (yield* WebhooksWriter).add(webhook)))
    return yield* new WebhookLimitReached({
      detail: `An agent may have at most ${webhooksMax} endpoints. Remove one first.`
    })
  const view = webhookView({
    ...webhook,
    active: true,
    disabledReason: null,
    formerSecretSealed: null,
    formerSecretUntilMs: null,
    lastDeliveryAtMs: null,
    failingSinceMs: null
  })
  return { webhook: view, signingSecret }
})
interface Change {
  readonly webhookId: string
  readonly url: string | null
  readonly events: ReadonlyArray<Subscription> | null
  readonly active: boolean | null
  readonly rotateSecret: boolean
}
const change = Effect.fnUntraced(function* (agentId: AgentId, given: Change) {
  const before = yield* findOwned(agentId, given.webhookId, true)
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
  // A new URL or reopening clears the record of failures.
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
  yield* (yield* WebhooksWriter).save(after)
  yield* deliverTo(after.id)
  return { webhook: webhookView(after), signingSecret }
})
const remove = Effect.fnUntraced(function* (agentId: AgentId, webhookId: string) {
  const webhook = yield* findOwned(agentId, webhookId)
  yield* (yield* WebhooksWriter).remove(webhook.id)
  return webhookView(webhook)
})
/** Sends a delivery once and answers its result. A repeat of the command answers `pending`. */
const tryDelivery = <E, R>(agentId: AgentId, webhookId: string, ready: (atMs: number) => Effect.Effect<string, E, R>) =>
  command({
    by: agentId,
    allowances: [webhookTests],
    run: Effect.gen(function* () {
      const { id } = yield* findOwned(agentId, webhookId)
      const atMs = (yield* Clock.currentTimeMillis) + webhookSendMs
      const deliveryId = yield* ready(atMs)
      yield* deliverTo(id, atMs)
      return WebhookTried.make({ deliveryId, status: "pending", responseStatus: null, durationMs: 0 })
    }),
    after: ({ deliveryId }) => sendOnce(webhookId as WebhookId, deliveryId)
  })
const ping = (agentId: AgentId, webhookId: string) =>
  tryDelivery(
    agentId,
    webhookId,
    Effect.fnUntraced(function* (nextAtMs: number) {
      const ids = yield* IdSource
      const nowMs = yield* Clock.currentTimeMillis
      const id = yield* ids.make("dlv")
      const { slug } = yield* StationFacts
      yield* (yield* WebhookDeliveriesWriter).add({
        id,
        webhookId: webhookId as WebhookId,
        eventId: yield* ids.make("evt"),
        type: "ping",
        body: payloadOf("ping", new Date(nowMs).toISOString(), { id: webhookId, agentId, station: { slug } }),
        nextAtMs,
        createdAtMs: nowMs
      })
      return id
    })
  )
const replay = (agentId: AgentId, webhookId: string, deliveryId: string) =>
  tryDelivery(
    agentId,
    webhookId,
    Effect.fnUntraced(function* (nextAtMs: number) {
      const deliveries = yield* WebhookDeliveriesWriter
      if ((yield* deliveries.find(webhookId as WebhookId, deliveryId)) === null)
        return yield* new NotFound({ detail: "This endpoint has no such delivery. They are kept for 30 days." })
      yield* deliveries.rearm(deliveryId, nextAtMs)
      return deliveryId
    })
  )
const judge = Effect.fnUntraced(function* (
  agentId: AgentId,
  {
    active,
    webhookId,
    ...act
  }: { readonly webhookId: string; readonly active: boolean; readonly actor: string; readonly reason: string | null }
) {
  return yield* command({
    run: Effect.gen(function* () {
      const before = yield* findOwned(agentId, webhookId, true)
      if (before.active === active)
        return yield* new SubjectConflict({
          detail: active ? "The endpoint is already enabled." : "The endpoint is already disabled."
        })
      const after: WebhookRecord = {
        ...before,
        active,
        disabledReason: active ? null : "operator",
        failingSinceMs: active ? null : before.failingSinceMs
      }
      yield* Effect.andThen((yield* WebhooksWriter).save(after), deliverTo(after.id))
      const auditViewOf = ({ active, disabledReason }: WebhookRecord) => ({ active, disabledReason })
      yield* record(
        act,
        active ? "webhook.enable" : "webhook.disable",
        { type: "webhook", id: webhookId },
        auditViewOf(before),
        auditViewOf(after)
      )
      return webhookView(after)
    })
  })
})
/** The job sends it: an operator's request doesn't wait for a foreign server. */
const resend = Effect.fnUntraced(function* (
  agentId: AgentId,
  { deliveryId, webhookId, ...act }: Act & { readonly webhookId: string; readonly deliveryId: string }
) {
  return yield* command({
    run: Effect.gen(function* () {
      const endpoint = yield* findOwned(agentId, webhookId, true)
      if (!endpoint.active)
        return yield* new SubjectConflict({
          detail: "The endpoint is disabled. Enable it first: its deliveries follow."
        })
      const deliveries = yield* WebhookDeliveriesWriter
      const nowMs = yield* Clock.currentTimeMillis
      if ((yield* deliveries.find(endpoint.id, deliveryId)) === null)
        return yield* new NotFound({ detail: "There is no such delivery. They are kept for 30 days." })
      yield* deliveries.rearm(deliveryId, nowMs)
      yield* deliverTo(endpoint.id, nowMs)
      yield* record(act, "webhook.resend", { type: "webhook", id: webhookId }, null, { deliveryId })
      return deliveryView((yield* deliveries.find(endpoint.id, deliveryId))!)
    })
  })
})
/** Makes the handlers of agents' webhooks. Requests to foreign servers wait for nothing; changes of an agent's webhooks run one at a time. */
export const makeDeskWebhooks = () => {
  const inTurn = makeTurns()
  return (agentId: AgentId) => ({
    AddWebhook: ({ payload }: { readonly payload: Addition }) =>
      Effect.flatMap(checkUrl(payload.url), (url) =>
        inTurn(agentId, command({ run: add(agentId, { ...payload, url }) }))
      ),
    ChangeWebhook: Effect.fnUntraced(function* ({ payload }: { readonly payload: Change }) {
      yield* findOwned(agentId, payload.webhookId)
      const url = payload.url === null ? null : yield* checkUrl(payload.url)
      return yield* inTurn(agentId, command({ run: change(agentId, { ...payload, url }) }))
    }),
    RemoveWebhook: ({ payload: { webhookId } }: { readonly payload: { readonly webhookId: string } }) =>
      inTurn(agentId, command({ run: remove(agentId, webhookId) })),
    TestWebhook: ({ payload: { webhookId } }: { readonly payload: { readonly webhookId: string } }) =>
      ping(agentId, webhookId),
    ReplayDelivery: ({
      payload: { deliveryId, webhookId }
    }: {
      readonly payload: { readonly webhookId: string; readonly deliveryId: string }
    }) => replay(agentId, webhookId, deliveryId),
    ResendDelivery: ({ payload }: { readonly payload: Parameters<typeof resend>[1] }) =>
      inTurn(agentId, resend(agentId, payload)),
    JudgeWebhook: ({ payload }: { readonly payload: Parameters<typeof judge>[1] }) =>
      inTurn(agentId, judge(agentId, payload))
  })
}
