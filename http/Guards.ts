import { Clock, Context, Effect, Layer, Redacted } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiError } from "effect/http-api"
import { agentReadsPerMinuteMax, agentWritesPerMinuteMax } from "../engine/Limits.ts"
import { StationConfig } from "../engine/Config.ts"
import { scopesOf } from "../engine/rules/Agent.ts"
import { isSecret, splitKey } from "../engine/Secrets.ts"
import { Agents } from "../engine/store/Agents.ts"
import { Standings } from "../engine/store/Standings.ts"
import { AgentNotActive, AgentSuspended, Forbidden, InvalidApiKey, InvalidJson, RateLimited } from "../schema/Problems.ts"
import { AgentAuth, CurrentAgent, RequiredScope } from "./api/Authorization.ts"
import { Reading } from "./api/Reading.ts"
import { bodyKey } from "./BodyKey.ts"
import { Flood } from "./Flood.ts"
import { ignoredFields } from "./IgnoredFields.ts"
import { scanJson } from "./JsonScan.ts"
import { refusalOf } from "./Refusals.ts"

const isRead = (method: string) => method === "GET" || method === "HEAD"

/** Reads the body once more than the library does: for what `JSON.parse` would let pass. */
export const ReadingLive = Layer.succeed(Reading, (httpEffect, { endpoint }) => Effect.gen(function*() {
  const request = yield* HttpServerRequest.HttpServerRequest
  let ignored = ""
  if (!isRead(request.method) && /json|^$/.test(request.headers["content-type"] ?? "") && request.headers["content-length"] !== "0") {
    const text = yield* Effect.orDie(request.text)
    const wrong = text === "" ? null : yield* Effect.try({
      try: () => {
        const body: unknown = JSON.parse(text)
        const wrong = scanJson(text)
        if (wrong === null) ignored = ignoredFields(endpoint, body)
        return wrong
      },
      catch: () => new InvalidJson({ detail: "The body is not JSON." })
    })
    if (wrong !== null) return yield* new InvalidJson({ detail: `The body can't be taken: ${wrong}.` })
  }
  const response = yield* Effect.catch(httpEffect, (error: unknown) =>
    HttpApiError.HttpApiSchemaError.is(error) && error.kind !== "Body" && error.kind !== "ResponseHeaders" ? Effect.fail(refusalOf(error)) : Effect.fail(error as never))
  return ignored === "" ? response : HttpServerResponse.setHeader(response, "x-ignored-fields", ignored)
}))

export const AgentAuthLive = Layer.effect(AgentAuth, Effect.gen(function*() {
  const agents = yield* Agents
  const flood = yield* Flood
  const standings = yield* Standings
  const { publicUrl } = yield* StationConfig
  return AgentAuth.of({
    agentKey: Effect.fnUntraced(function*(httpEffect, { credential, endpoint }) {
      const request = yield* HttpServerRequest.HttpServerRequest
      const text = Redacted.value(credential) || (yield* bodyKey(request))
      if (text === "") return yield* new InvalidApiKey({ detail: "Send your key as Authorization: Bearer svc_agent_… . No key yet? POST /api/v1/agents/register." })
      const parts = splitKey("svc_agent_", text)
      if (parts === null) return yield* new InvalidApiKey({ detail: "The key is malformed: it is svc_agent_, 12 characters, an underscore and 43 more." })
      const found = yield* agents.credential(parts.publicId)
      if (found === null || !isSecret(parts.secret, found.secretSha256)) return yield* new InvalidApiKey({ detail: "The key is unknown. Drop it and register again." })
      if (found.revoked) return yield* new InvalidApiKey({ detail: "The key was revoked. Drop it; if you rotated it, use the new one." })
      const { agent } = found
      const nowMs = yield* Clock.currentTimeMillis
      if (agent.status === "suspended") {
        return yield* new AgentSuspended({
          detail: "The agent is suspended by the station's operators.",
          suspension: { reason: agent.suspendedReason ?? "not stated", until: agent.suspendedUntilMs === null ? null : new Date(agent.suspendedUntilMs).toISOString(), appealUrl: `${publicUrl}/` }
        })
      }
      if (agent.status !== "claimed") return yield* new AgentNotActive({ detail: "The agent has not been claimed." })
      const policy = isRead(request.method)
        ? { name: "agent-reads", limit: agentReadsPerMinuteMax, windowSec: 60 }
        : { name: "agent-writes", limit: agentWritesPerMinuteMax, windowSec: 60 }
      const allowance = yield* flood.take(policy, agent.id)
      if (!allowance.allowed) return yield* new RateLimited({ detail: `An agent may send ${allowance.policy.limit} of these a minute.`, retryAfterSec: allowance.waitSec, meter: "agent" })
      const { scopesRevoked } = yield* standings.grants(agent.id)
      const scopes = scopesOf(agent.persona.role, agent.requestedScopes, scopesRevoked)
      const required = Context.get(endpoint.annotations, RequiredScope)
      if (required !== null && !scopes.includes(required)) {
        return yield* new Forbidden({ detail: `This needs the scope ${required}, which the role ${agent.persona.role} or the claim does not give.`, requiredScope: required })
      }
      yield* agents.seen(agent.id, found.keyId, nowMs)
      return yield* Effect.provideService(httpEffect, CurrentAgent, { agent, scopes, keyId: found.keyId })
    })
  })
}))
