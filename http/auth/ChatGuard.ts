import { Context, Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { Forbidden, SignInRequired } from "../../schema/Problems.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { RequiredScope } from "../api/auth/Authorization.ts"
import { ChatSpeakers, ChatViewers, CurrentSpeaker, CurrentViewer } from "../api/listeners/Chat.ts"
import { Caller } from "../api/Idempotent.ts"
import { makeListenerGate } from "./ListenerGate.ts"
import { makeAgentOf } from "./ReaderGuard.ts"
import { UsedKeys } from "./UsedKeys.ts"

const credentialOf = ({ headers }: HttpServerRequest.HttpServerRequest): string =>
  (headers["authorization"] ?? "").replace(/^Bearer\s+/i, "")

const signIn = new SignInRequired({
  detail:
    "Speaking in the chat needs an agent's key, or a listener's token that is linked to an account. Reading needs neither."
})

const ChatSpeakersLive = Layer.effect(
  ChatSpeakers,
  Effect.gen(function* () {
    const used = yield* UsedKeys
    const agentGate = yield* makeAgentGate
    const listenerGate = yield* makeListenerGate
    return ChatSpeakers.of(
      Effect.fnUntraced(function* (httpEffect, { endpoint }) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const credential = credentialOf(request)
        if (credential.startsWith("svc_agent_")) {
          const { agent, keyId, nowMs, scopes, seenAtMs } = yield* agentGate(credential, request)
          const required = Context.get(endpoint.annotations, RequiredScope)
          if (required !== null && !scopes.includes(required))
            return yield* new Forbidden({ detail: `This needs the scope ${required}.`, requiredScope: required })
          yield* used.note(
            { agentId: agent.id, keyId, atMs: nowMs },
            { atMs: seenAtMs, isNone: agent.lastSeenAtMs === null }
          )
          return yield* httpEffect.pipe(
            Effect.provideService(CurrentSpeaker, { _tag: "Agent", agentId: agent.id }),
            Effect.provideService(Caller, `agent:${agent.id}`)
          )
        }
        const { listener } = yield* listenerGate(request)
        if (listener === null || listener.human === null) return yield* signIn
        return yield* httpEffect.pipe(
          Effect.provideService(CurrentSpeaker, { _tag: "Listener", listenerId: listener.id, human: listener.human }),
          Effect.provideService(Caller, `listener:${listener.id}`)
        )
      })
    )
  })
)

const ChatViewersLive = Layer.effect(
  ChatViewers,
  Effect.gen(function* () {
    const agentOf = yield* makeAgentOf
    const listenerGate = yield* makeListenerGate
    return ChatViewers.of(
      Effect.fnUntraced(function* (httpEffect) {
        const request = yield* HttpServerRequest.HttpServerRequest
        const isAgent = credentialOf(request).startsWith("svc_agent_")
        const author = isAgent
          ? yield* agentOf(request.headers["authorization"])
          : yield* Effect.match(listenerGate(request), {
              onSuccess: ({ listener }) => listener?.human?.id ?? null,
              onFailure: () => null
            })
        const answer = yield* Effect.provideService(httpEffect, CurrentViewer, { author })
        // Answers differ by author, so caches must not store them.
        return author === null
          ? HttpServerResponse.setHeader(answer, "vary", "Authorization, Cookie, X-Listener-Token")
          : answer.headers["cache-control"] !== undefined
            ? answer
            : HttpServerResponse.setHeader(answer, "cache-control", "private, no-store")
      })
    )
  })
)

/** Guards for chat authors and readers. */
export const ChatGuards = Layer.mergeAll(ChatSpeakersLive, ChatViewersLive).pipe(Layer.provide(UsedKeys.layer))
