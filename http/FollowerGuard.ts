import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Keys } from "../engine/Keys.ts"
import { Forbidden } from "../schema/Problems.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { RequiredScope } from "./api/Authorization.ts"
import { CurrentFollower, ListenerOrAgentAuth } from "./api/ListenerOrAgent.ts"
import { listenerOf, tokenNeeded } from "./AudienceGuard.ts"
import { makeListenerGate } from "./ListenerGate.ts"

/** The prefix tells whose credential it is: what isn't an agent's is a listener's. */
export const ListenerOrAgentAuthLive = Layer.effect(ListenerOrAgentAuth, Effect.gen(function*() {
  const admitted = yield* makeAgentGate
  const shown = yield* makeListenerGate
  const keys = yield* Keys
  return ListenerOrAgentAuth.of(Effect.fnUntraced(function*(httpEffect, { endpoint }) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const credential = (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
    if (!credential.startsWith("svc_agent_")) {
      const listener = yield* listenerOf(shown, keys, request)
      return listener === null ? yield* tokenNeeded : yield* Effect.provideService(httpEffect, CurrentFollower, { type: "listener", listener })
    }
    const agent = yield* admitted(credential, request)
    const required = Context.get(endpoint.annotations, RequiredScope)
    if (required !== null && !agent.scopes.includes(required)) return yield* new Forbidden({ detail: `This needs the scope ${required}.`, requiredScope: required })
    return yield* Effect.provideService(httpEffect, CurrentFollower, { type: "agent", agent })
  }))
}))
