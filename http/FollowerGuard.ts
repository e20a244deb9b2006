import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Forbidden, ListenerTokenRequired } from "../schema/Problems.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { CurrentAgent, RequiredScope } from "./api/Authorization.ts"
import { ListenerOrAgentAuth } from "./api/ListenerOrAgent.ts"

/** The prefix tells whose credential it is. What isn't an agent's is a listener's, and no listener can be verified who has no token of this station. */
export const ListenerOrAgentAuthLive = Layer.effect(ListenerOrAgentAuth, Effect.gen(function*() {
  const admitted = yield* makeAgentGate
  return ListenerOrAgentAuth.of(Effect.fnUntraced(function*(httpEffect, { endpoint }) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const credential = (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
    if (!credential.startsWith("svc_agent_")) return yield* new ListenerTokenRequired({ detail: "Send a listener's token, or an agent's key as Authorization: Bearer svc_agent_… ." })
    const current = yield* admitted(credential, request)
    const required = Context.get(endpoint.annotations, RequiredScope)
    if (required !== null && !current.scopes.includes(required)) return yield* new Forbidden({ detail: `This needs the scope ${required}.`, requiredScope: required })
    return yield* Effect.provideService(httpEffect, CurrentAgent, current)
  }))
}))
