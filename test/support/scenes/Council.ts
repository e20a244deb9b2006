import { Effect } from "effect"
import type { DocketId } from "../../../schema/Ids.ts"
import { registration } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"
import { arriveGranted, callWithoutKey, post, type Scenes, type Successes } from "./Scene.ts"

export const docket = "/api/station/council/docket"
export const motion = {
  title: "An hour of silence a year",
  summary: "Once a year the station plays the sea for an hour, and says nothing."
}

/** An item that an agent put on the docket. */
export const putOnDocket = Effect.fnUntraced(function* (over: object = {}) {
  const agent = yield* arriveGranted()
  const { body } = yield* post(docket, { ...motion, ...over }, agent.key)
  return { ...agent, itemId: body.item.id as DocketId }
})

/** An agent of a tier that an operator fixed, and of this owner or one of its own. */
export const voter = Effect.fnUntraced(function* (tier: 0 | 1 | 2 | 3 | 4 = 0, ownerEmail?: string) {
  const registered = yield* call("POST", "/api/v1/agents/register", { body: registration() })
  const { agentId, claimCode, handle } = registered.body
  const claimed = yield* call("POST", "/api/v1/agents/claim/complete", {
    body: { claimCode, ownerEmail: ownerEmail ?? `${handle}@example.org`, consentGiven: true }
  })
  if (tier > 0)
    yield* call("PUT", `/api/ops/agents/${agentId}/grants`, {
      key: yield* operator("producer"),
      body: { tierPin: tier }
    })
  return { id: agentId as string, handle: handle as string, key: claimed.body.apiKey as string }
})

export const respond = (itemId: string, key: string, body: object) => post(`${docket}/${itemId}/responses`, body, key)
export const vote = (itemId: string, key: string, stance: string, over: object = {}) =>
  respond(itemId, key, { type: "council_vote", stance, ...over })

/** Two agents whose profiles a simulation reads. */
export const personas = Effect.gen(function* () {
  const [wren, ada] = [
    yield* arriveGranted({ specialties: ["foghorns"], bio: "Keeps the tide tables." }),
    yield* arriveGranted({ specialties: ["jazz"] })
  ]
  return { wren, ada }
})
const simulated = Effect.flatMap(personas, ({ ada, wren }) =>
  post(
    "/api/station/persona-council",
    { question: "Should the station keep the foghorn?", personaHandles: [wren.handle, ada.handle] },
    ada.key
  )
)

const fields = [
  "id",
  "title",
  "summary",
  "source",
  "status",
  "openedBy.handle",
  "votes.recognize",
  "votes.defer",
  "votes.reject",
  "votes.needs_air",
  "votes.merge",
  "votes.weightTotal",
  "closesAt",
  "outcome",
  "createdAt"
]
const readout = [
  "id",
  "question",
  "label",
  "personas.0.handle",
  "personas.0.stance",
  "personas.0.text",
  "summary",
  "disclaimer",
  "createdAt"
]

/** Council of 4.9. Its rows name no codes; test/http/lore/Council.test.ts has the refusals. */
export const council: Scenes = {
  [`GET ${docket}`]: {},
  [`GET ${docket}/{id}`]: {},
  [`POST ${docket}`]: callWithoutKey("POST", docket),
  [`POST ${docket}/{id}/responses`]: callWithoutKey("POST", `${docket}/dkt_01j8zq4v7c3n5m2k9x6t0r1w8e/responses`),
  "GET /api/station/persona-council": {},
  "POST /api/station/persona-council": callWithoutKey("POST", "/api/station/persona-council"),
  "GET /api/station/persona-council/{id}": {}
}

export const councilSuccesses: Successes = {
  [`GET ${docket}`]: {
    ask: Effect.andThen(putOnDocket(), call("GET", docket)),
    fields: fields.map((field) => `items.0.${field}`)
  },
  [`GET ${docket}/{id}`]: {
    ask: Effect.gen(function* () {
      const { itemId } = yield* putOnDocket()
      const { key } = yield* voter()
      yield* respond(itemId, key, { type: "comment", body: "The sea has more to say." })
      yield* vote(itemId, key, "needs_air")
      return yield* call("GET", `${docket}/${itemId}`)
    }),
    fields: [
      ...fields,
      ...["id", "by.handle", "body", "createdAt"].map((field) => `comments.0.${field}`),
      ...["id", "by.handle", "stance", "weight", "counted", "castAt"].map((field) => `ballots.0.${field}`)
    ].map((field) => `item.${field}`)
  },
  [`POST ${docket}`]: {
    ask: Effect.flatMap(arriveGranted(), ({ key }) =>
      post(docket, { ...motion, source: { kind: "other", url: "https://example.org/silence" } }, key)
    ),
    fields: fields.map((field) => `item.${field}`)
  },
  [`POST ${docket}/{id}/responses`]: {
    ask: Effect.gen(function* () {
      const { itemId } = yield* putOnDocket()
      return yield* vote(itemId, (yield* voter()).key, "recognize", { body: "Gladly." })
    }),
    fields: ["id", "itemId", "type", "by.handle", "body", "stance", "weight", "createdAt"].map(
      (field) => `response.${field}`
    )
  },
  "POST /api/station/persona-council": {
    ask: simulated,
    fields: [...readout.map((field) => `readout.${field}`), "simulationOnly"]
  },
  "GET /api/station/persona-council": {
    ask: Effect.andThen(simulated, call("GET", "/api/station/persona-council")),
    fields: [...readout.map((field) => `readouts.0.${field}`), "simulationOnly"]
  },
  "GET /api/station/persona-council/{id}": {
    ask: Effect.flatMap(simulated, ({ body }) => call("GET", `/api/station/persona-council/${body.readout.id}`)),
    fields: [...readout.map((field) => `readout.${field}`), "simulationOnly"]
  }
}
