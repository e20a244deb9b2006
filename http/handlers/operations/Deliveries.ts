import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Desk } from "../../../actors/agents/protocol/Desk.ts"
import { Mails } from "../../../engine/store/operations/Mails.ts"
import { WebhookDeliveries } from "../../../engine/store/inbox/WebhookDeliveries.ts"
import { Webhooks } from "../../../engine/store/inbox/Webhooks.ts"
import { MailSent } from "../../../schema/operations/Mail.ts"
import { NotFound } from "../../../schema/Problems.ts"
import { listMax } from "../../../engine/rules/http/limits.ts"
import { dayMs } from "../../../schema/time/Units.ts"
import { CurrentOperator } from "../../api/auth/Authorization.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { following, unknownCursor } from "../Commands.ts"
import { webhookView, deliveryView } from "../../../engine/rules/inbox/WebhookView.ts"

export const DeliveryHandlers = HttpApiBuilder.group(
  OpsApi,
  "deliveries",
  Effect.fn(function* (handlers) {
    const desk = yield* Desk.client
    const judge = (active: boolean) =>
      Effect.fnUntraced(function* ({
        params,
        payload
      }: {
        readonly params: { readonly id: string }
        readonly payload: { readonly reason?: string | null }
      }) {
        const endpoint = yield* (yield* Webhooks).find(params.id)
        if (endpoint === null) return yield* new NotFound({ detail: "No webhook endpoint has this id." })
        const webhook = yield* send(
          desk(endpoint.agentId).JudgeWebhook({
            webhookId: params.id,
            active,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason ?? null
          })
        )
        return { webhook }
      })
    return handlers.handleAll({
      webhookHealth: Effect.fn("webhookHealth")(function* ({ query }) {
        const webhooks = yield* Webhooks
        const deliveries = yield* WebhookDeliveries
        const page = yield* deliveries.list({
          status: query.status ?? null,
          webhookId: query.webhookId ?? null,
          limit: limitOf(query),
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        const counts = {
          ...(yield* webhooks.counts),
          ...(yield* deliveries.counts((yield* Clock.currentTimeMillis) - dayMs))
        }
        const inTrouble = (yield* webhooks.inTrouble(listMax)).map((record) => ({
          ...webhookView(record),
          agentId: record.agentId,
          handle: record.handle
        }))
        return {
          counts,
          inTrouble,
          deliveries: page.records.map((record) => ({ ...deliveryView(record), webhookId: record.webhookId })),
          ...following(page.next)
        }
      }),
      enableWebhook: judge(true),
      disableWebhook: judge(false),
      mail: Effect.fn("mail")(function* ({ query }) {
        const page = yield* (yield* Mails).list(limitOf(query), query.cursor ?? null)
        if (page === null) return yield* unknownCursor
        return {
          mails: page.records.map(({ atMs, ...mail }) => MailSent.make({ ...mail, at: new Date(atMs).toISOString() })),
          ...following(page.next)
        }
      })
    })
  })
)
