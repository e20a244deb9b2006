import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { type Answer, call, operator, askUntil } from "../http/SegmentHttp.ts"

export const music = "/api/v1/agents/me/music"
export const aPrompt = "Slow jazz for a harbour at night, with a walking bass"

/** An agent that may have music made; of T2, so that it may make tracks of it, unless the test says otherwise. */
export const musician = Effect.fnUntraced(function* (grants: object = { tierPin: 2 }, agent: object = {}) {
  const arrived = yield* arrive(agent)
  yield* call("PUT", `/api/ops/agents/${arrived.id}/grants`, { key: yield* operator("producer"), body: grants })
  return arrived
})
export const generate = (key: string, body: object = {}, query = "", headers: Record<string, string> = {}) =>
  call("POST", `${music}/generate${query}`, { key, body: { prompt: aPrompt, variants: 1, ...body }, headers })
/** Orders music under a key that names the job. */
export const create = (key: string, name: string, body: object = {}) =>
  call("POST", `${music}/creations`, {
    key,
    body: { prompt: aPrompt, variants: 1, ...body },
    headers: { "idempotency-key": name }
  })
export const requestOf = (key: string, id: string) => call("GET", `${music}/requests/${id}`, { key })
export const isOver = ({ body }: Answer) => body.status !== "queued" && body.status !== "generating"
/** The request, once it has ended. */
export const awaitEnd = (key: string, id: string) => askUntil(requestOf(key, id), isOver)
/** A complete request, its first variant heard. */
export const completeAndPreview = Effect.fnUntraced(function* (key: string, body: object = {}) {
  const { requestId } = (yield* generate(key, body)).body
  const { variants } = (yield* awaitEnd(key, requestId)).body
  const variantId = variants[0].id as string
  yield* call("GET", `${music}/requests/${requestId}/variants/${variantId}/preview`, { key })
  return { requestId: requestId as string, variantId, variants: variants as ReadonlyArray<{ readonly id: string }> }
})
export const designate = (key: string, requestId: string, body: object, query = "") =>
  call("POST", `${music}/requests/${requestId}/variants/designate${query}`, { key, body })
