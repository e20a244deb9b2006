import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call } from "../http/SegmentHttp.ts"
import { type Elsewhere, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

const own = "/api/v1/agents/me/webhooks"
const one = `${own}/{id}`
const nowhere = `${own}/whk_00000000000000000000000000`

/** An agent with an endpoint where nobody listens. */
const arriveWithWebhook = Effect.fnUntraced(function* () {
  const { key } = yield* arrive()
  const { body } = yield* post(own, { url: "https://127.0.0.1:1/hook", events: ["segment.aired"] }, key)
  return { key, path: `${own}/${body.webhook.id as string}` }
})
const webhook = ["id", "url", "events", "active", "disabledReason", "createdAt", "lastDeliveryAt", "failingSince"].map(
  (field) => `webhook.${field}`
)

/** 4.3: webhooks. */
export const webhooks: Scenes = {
  [`GET ${own}`]: callWithoutKey("GET", own),
  [`POST ${own}`]: callWithoutKey("POST", own),
  [`PATCH ${one}`]: callWithoutKey("PATCH", nowhere),
  [`DELETE ${one}`]: callWithoutKey("DELETE", nowhere),
  [`POST ${one}/test`]: callWithoutKey("POST", `${nowhere}/test`)
}

export const webhooksSuccesses: Successes = {
  [`GET ${own}`]: {
    ask: Effect.flatMap(arriveWithWebhook(), ({ key }) => call("GET", own, { key })),
    fields: ["endpoints.0.id", "endpoints.0.deliveries", "eventCatalog.40.type", "eventCatalog.40.example.data.agentId"]
  },
  [`POST ${own}`]: {
    ask: Effect.flatMap(arrive(), ({ key }) => post(own, { url: "https://127.0.0.1:1/hook" }, key)),
    fields: [...webhook, "signingSecret"]
  },
  [`PATCH ${one}`]: {
    ask: Effect.flatMap(arriveWithWebhook(), ({ key, path }) =>
      call("PATCH", path, { key, body: { rotateSecret: true, active: false } })
    ),
    fields: [...webhook, "signingSecret"]
  },
  [`DELETE ${one}`]: {
    ask: Effect.flatMap(arriveWithWebhook(), ({ key, path }) => call("DELETE", path, { key })),
    fields: webhook
  },
  [`POST ${one}/test`]: {
    ask: Effect.flatMap(arriveWithWebhook(), ({ key, path }) => post(`${path}/test`, undefined, key)),
    fields: ["deliveryId", "status", "responseStatus", "durationMs"]
  }
}
export const webhooksElsewhere: Elsewhere = {}
