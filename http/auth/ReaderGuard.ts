import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { isSecret, splitKey } from "../../engine/runtime/Secrets.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { CurrentReader, Readers } from "../api/auth/Authorization.ts"

/** The agent with a valid key; null for any other credential or none. */
export const makeAgentOf = Effect.gen(function* () {
  const agents = yield* Agents
  return Effect.fnUntraced(function* (authorization: string | undefined) {
    const parts = splitKey("svc_agent_", authorization?.replace(/^Bearer\s+/i, "") ?? "")
    const found = parts === null ? null : yield* agents.credential(parts.publicId)
    return parts !== null &&
      found !== null &&
      !found.revoked &&
      isSecret(parts.secret, found.secretSha256) &&
      found.agent.status === "claimed"
      ? found.agent.id
      : null
  })
})
export const ReadersLive = Layer.effect(
  Readers,
  Effect.gen(function* () {
    const agentOf = yield* makeAgentOf
    return Readers.of(
      Effect.fnUntraced(function* (httpEffect) {
        const request = yield* HttpServerRequest.HttpServerRequest
        return yield* Effect.provideService(httpEffect, CurrentReader, {
          agentId: yield* agentOf(request.headers["authorization"])
        })
      })
    )
  })
)
