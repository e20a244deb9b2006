import { Clock, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { namesOf } from "../../engine/rules/agents/Identity.ts"
import { isSecret, sha256, splitKey } from "../../engine/runtime/Secrets.ts"
import { OperatorDesk } from "../../actors/operations/protocol/Operators.ts"
import { AppKeys } from "../../engine/store/operations/AppKeys.ts"
import { InvalidAppKey } from "../../schema/Problems.ts"
import { makeAgentGate } from "./AgentGate.ts"
import { AppOrAgentAuth, CurrentVerifier } from "../api/auth/Authorization.ts"
import { Caller } from "../api/Idempotent.ts"
import { sendLater } from "../../actors/runtime/protocol.ts"

const nobodys = sha256("")

/** Authenticates a program by its app key, for its audiences, or an agent by its own key, for tokens addressed to it. */
export const AppOrAgentAuthLive = Layer.effect(
  AppOrAgentAuth,
  Effect.gen(function* () {
    const appKeys = yield* AppKeys
    const admitted = yield* makeAgentGate
    const { publicUrl, stationSlug } = yield* StationConfig
    const desk = (yield* OperatorDesk.client)(stationSlug)

    const verifierOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
      const text = request.headers["x-app-key"]
      if (text === undefined && request.headers["authorization"] !== undefined) {
        const { agent } = yield* Effect.catchTag(
          admitted(request.headers["authorization"].replace(/^Bearer\s+/i, ""), request),
          "InvalidApiKey",
          ({ detail }) => Effect.fail(new InvalidAppKey(detail === undefined ? {} : { detail }))
        )
        return {
          caller: `agent:${agent.id}`,
          audiences: namesOf({ id: agent.id, handle: agent.persona.handle }, publicUrl)
        }
      }
      const parts = splitKey("svc_app_", text ?? "")
      if (parts === null)
        return yield* new InvalidAppKey({
          detail: "Send your key as x-app-key: svc_app_… . The station's operators issue keys."
        })
      const found = yield* appKeys.findByPublicId(parts.publicId)
      if (!isSecret(parts.secret, found?.secretSha256 ?? nobodys) || found === null)
        return yield* new InvalidAppKey({ detail: "The key is unknown or was replaced." })
      if (found.revokedAtMs !== null) return yield* new InvalidAppKey({ detail: "The key was revoked." })
      const atMs = yield* Clock.currentTimeMillis
      yield* sendLater(desk.AppKeySeen({ id: found.id, atMs }))
      return { caller: `app:${found.id}`, audiences: [found.id, ...found.audiences] }
    })
    const guard = Effect.fnUntraced(function* <A, E, R>(httpEffect: Effect.Effect<A, E, R>) {
      const { audiences, caller } = yield* verifierOf(yield* HttpServerRequest.HttpServerRequest)
      return yield* httpEffect.pipe(
        Effect.provideService(CurrentVerifier, { audiences }),
        Effect.provideService(Caller, caller)
      )
    })
    // Both schemes read the whole request, so the order of evaluation doesn't matter.
    return AppOrAgentAuth.of({ appKey: guard, agentKey: guard })
  })
)
