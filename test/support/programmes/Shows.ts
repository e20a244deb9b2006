import { Effect } from "effect"
import { arrive } from "../http/AgentHttp.ts"
import { call, operator } from "../http/SegmentHttp.ts"

/** An agent that may host shows: its first air is cleared, and operators have fixed it at a sufficient tier. */
export const host = Effect.fnUntraced(function* (agent: object = {}) {
  const arrived = yield* arrive(agent)
  yield* call("PUT", `/api/ops/agents/${arrived.id}/grants`, {
    key: yield* operator("producer"),
    body: { freeAir: true, stationSpeech: true, tierPin: 2 }
  })
  return arrived
})

/** A show that an operator gives to an agent. */
export const showOf = Effect.fnUntraced(function* (hostHandle: string, over: object = {}) {
  const { body } = yield* call("POST", "/api/ops/shows", {
    key: yield* operator("producer"),
    body: { title: "Night Watch", hostHandle, ...over }
  })
  return body.show as {
    readonly id: string
    readonly slug: string
    readonly title: string
    readonly status: string
    readonly hostHandle: string
  }
})
