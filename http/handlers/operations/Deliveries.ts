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
import { OperatorDesk } from "../../../actors/operations/protocol/Operators.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { isDry } from "../../api/Inputs.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"
import { webhookView, deliveryView } from "../../../engine/rules/inbox/WebhookView.ts"

const noDelivery = new NotFound({ detail: "There is no such delivery. They are kept for 30 days." })

export const DeliveryHandlers = HttpApiBuilder.group(
  OpsApi,
  "deliveries",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* Desk.client
    const operators = (yield* OperatorDesk.client)((yield* StationFacts).slug)
    const deliveryOf = Effect.fnUntraced(function* (id: string) {
      return (yield* (yield* WebhookDeliveries).findById(id)) ?? (yield* noDelivery)
    })
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
      webhookHealth: Effect.fnUntraced(function* ({ query }) {
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
          ...(yield* deliveries.count((yield* Clock.currentTimeMillis) - dayMs))
        }
        const inTrouble = (yield* webhooks.listInTrouble(listMax)).map((record) => ({
          ...webhookView(record),
          agentId: record.agentId,
          handle: record.handle
        }))
        return {
          counts,
          inTrouble,
          deliveries: page.records.map((record) => ({ ...deliveryView(record), webhookId: record.webhookId })),
          ...nextCursorOf(page.next)
        }
      }),
      enableWebhook: judge(true),
      disableWebhook: judge(false),
      delivery: Effect.fnUntraced(function* ({ params }) {
        const found = yield* deliveryOf(params.id)
        return { delivery: { ...deliveryView(found), webhookId: found.webhookId, body: found.body } }
      }),
      resendDelivery: Effect.fnUntraced(function* ({ params, payload, query }) {
        const found = yield* deliveryOf(params.id)
        const endpoint = yield* (yield* Webhooks).find(found.webhookId)
        if (endpoint === null) return yield* noDelivery
        const sent = yield* send(
          desk(endpoint.agentId).ResendDelivery({
            webhookId: found.webhookId,
            deliveryId: found.id,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason ?? null
          })
        )
        const answer = { delivery: { ...sent, webhookId: found.webhookId } }
        return isDry(query) ? previewAnswer(answer, 200) : answer
      }),
      letter: Effect.fnUntraced(function* ({ params }) {
        return { letter: yield* send(operators.ReadMail({ id: params.id })) }
      }),
      resendMail: Effect.fnUntraced(function* ({ params, payload, query }) {
        const mail = yield* send(
          operators.ResendMail({
            id: params.id,
            actor: (yield* CurrentOperator).name,
            reason: payload.reason ?? null
          })
        )
        return isDry(query) ? previewAnswer({ mail }, 200) : { mail }
      }),
      mail: Effect.fnUntraced(function* ({ query }) {
        const page = yield* (yield* Mails).list(limitOf(query), query.cursor ?? null)
        if (page === null) return yield* unknownCursor
        return {
          mails: page.records.map(({ atMs, ...mail }) => MailSent.make({ ...mail, at: new Date(atMs).toISOString() })),
          ...nextCursorOf(page.next)
        }
      })
    })
  })
)
