import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { webhookTestsPerHourMax } from "../../../engine/rules/inbox/limits.ts"
import { inboxOnly, webhookCatalog } from "../../../engine/rules/inbox/WebhookCatalog.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { WebhookDeliveries } from "../../../engine/store/inbox/WebhookDeliveries.ts"
import { Webhooks } from "../../../engine/store/inbox/Webhooks.ts"
import { WebhookEvent, type WebhookTried, webhookTypes } from "../../../schema/inbox/Webhook.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"
import { webhookView, deliveryView } from "../../../engine/rules/inbox/WebhookView.ts"

const catalogOf = (agentId: string, slug: string): ReadonlyArray<WebhookEvent> =>
  webhookTypes.map((type) =>
    WebhookEvent.make({
      type,
      description: webhookCatalog[type].description,
      delivery: inboxOnly.includes(type) ? "inbox" : "webhook",
      example: {
        type,
        timestamp: "2026-10-01T20:00:00.000Z",
        data: { ...webhookCatalog[type].example, agentId, station: { slug } }
      }
    })
  )

const tests = (agentId: string) =>
  answerWithQuotas(readAllowances([{ name: "webhook_tests", perHour: webhookTestsPerHourMax }], agentId))

const triedOf = (tried: WebhookTried, query: Parameters<typeof isDry>[0]) =>
  isDry(query) ? previewAnswer({ deliveryId: tried.deliveryId }, 200) : tried

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const { slug } = yield* StationFacts
    return handlers.handleAll({
      webhooks: Effect.fnUntraced(function* () {
        const { agent } = yield* CurrentAgent
        const endpoints = yield* (yield* Webhooks).listByAgent(agent.id)
        const deliveries = yield* (yield* WebhookDeliveries).listLatest(endpoints.map(({ id }) => id))
        return {
          endpoints: endpoints.map((endpoint) => ({
            ...webhookView(endpoint),
            deliveries: deliveries.filter(({ webhookId }) => webhookId === endpoint.id).map(deliveryView)
          })),
          eventCatalog: catalogOf(agent.id, slug)
        }
      }),
      addWebhook: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        const { description = null, events = ["*"] as const, url } = payload
        const made = yield* send(desk(agent.id).AddWebhook({ url, events, description }))
        return isDry(query) ? previewAnswer(made.webhook, 200) : made
      }),
      changeWebhook: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const { active = null, events = null, rotateSecret = false, url = null } = payload
        const { signingSecret, webhook } = yield* send(
          desk(agent.id).ChangeWebhook({
            webhookId: params.id,
            url,
            events,
            active,
            rotateSecret
          })
        )
        return isDry(query)
          ? previewAnswer(webhook, 200)
          : { webhook, ...(signingSecret === null ? {} : { signingSecret }) }
      }),
      removeWebhook: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const webhook = yield* send(desk(agent.id).RemoveWebhook({ webhookId: params.id }))
        return isDry(query) ? previewAnswer(webhook, 200) : { webhook, removed: true as const }
      }),
      testWebhook: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        return triedOf(yield* send(desk(agent.id).TestWebhook({ webhookId: params.id })).pipe(tests(agent.id)), query)
      }),
      replayDelivery: Effect.fnUntraced(function* ({ params, query }) {
        const { agent } = yield* CurrentAgent
        const replay = { webhookId: params.id, deliveryId: params.deliveryId }
        return triedOf(yield* send(desk(agent.id).ReplayDelivery(replay)).pipe(tests(agent.id)), query)
      })
    })
  })
)
