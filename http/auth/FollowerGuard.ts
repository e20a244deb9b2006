import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { Keys } from "../../engine/runtime/Keys.ts"
import { Forbidden } from "../../schema/Problems.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { RequiredScope, CurrentFollower, ListenerOrAgentAuth } from "../api/auth/Authorization.ts"
import { Caller } from "../api/Idempotent.ts"
import { listenerOf, tokenNeeded } from "./AudienceGuard.ts"
import { makeListenerGate } from "./ListenerGate.ts"

/** The prefix marks an agent's key; any other credential is a listener's. */
export const ListenerOrAgentAuthLive = Layer.effect(
  ListenerOrAgentAuth,
  Effect.gen(function* () {
    const admitted = yield* makeAgentGate
    const shown = yield* makeListenerGate
    const keys = yield* Keys
    return ListenerOrAgentAuth.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const credential = (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")
        if (!credential.startsWith("svc_agent_")) {
          const listener = yield* listenerOf(shown, keys, request)
          return listener === null
            ? yield* tokenNeeded
            : yield* httpEffect.pipe(
                Effect.provideService(CurrentFollower, { type: "listener", listener }),
                Effect.provideService(Caller, `listener:${listener.listenerId}`)
              )
        }
        const agent = yield* admitted(credential, request)
        const required = Context.get(endpoint.annotations, RequiredScope)
        if (required !== null && !agent.scopes.includes(required))
          return yield* new Forbidden({ detail: `This needs the scope ${required}.`, requiredScope: required })
        return yield* httpEffect.pipe(
          Effect.provideService(CurrentFollower, { type: "agent", agent }),
          Effect.provideService(Caller, `agent:${agent.agent.id}`)
        )
      })
    )
  })
)
