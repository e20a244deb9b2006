import { Clock, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { appealUrl } from "../../engine/runtime/AppealLink.ts"
import { Keys } from "../../engine/runtime/Keys.ts"
import { agentReadsPerMinuteMax, agentWritesPerMinuteMax } from "../../engine/rules/http/limits.ts"
import { scopesOf } from "../../engine/rules/agents/Agent.ts"
import { isSecret, sha256, splitKey } from "../../engine/runtime/Secrets.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentNotActive, AgentSuspended, InvalidApiKey, RateLimited } from "../../schema/Problems.ts"
import { Flood } from "../envelope/Flood.ts"

const isRead = (method: string) => method === "GET" || method === "HEAD"

/** Dummy hash, so that an unknown key takes as long to refuse as one with a wrong secret. */
const nobodys = sha256("")

/** Authenticates an agent's key: well-formed, known, valid, and within its rate limits. */
export const makeAgentGate = Effect.gen(function* () {
  const agents = yield* Agents
  const flood = yield* Flood
  const keys = yield* Keys
  const { publicUrl } = yield* StationConfig
  return Effect.fnUntraced(function* (text: string, request: HttpServerRequest.HttpServerRequest) {
    if (text === "")
      return yield* new InvalidApiKey({
        detail: "Send your key as Authorization: Bearer svc_agent_… . No key yet? POST /api/v1/agents/register."
      })
    const parts = splitKey("svc_agent_", text)
    if (parts === null)
      return yield* new InvalidApiKey({
        detail: "The key is malformed: it is svc_agent_, 12 characters, an underscore and 43 more."
      })
    const found = yield* agents.credential(parts.publicId)
    if (!isSecret(parts.secret, found?.secretSha256 ?? nobodys) || found === null)
      return yield* new InvalidApiKey({ detail: "The key is unknown. Drop it and register again." })
    if (found.revoked)
      return yield* new InvalidApiKey({
        detail: `The key was revoked. Drop it; if you rotated it, use the new one. If the new one is lost, your owner replaces it at ${publicUrl}/account, or by mail at ${publicUrl}/lost-key.`
      })
    const { agent, grants } = found
    yield* flood.prove(text)
    const nowMs = yield* Clock.currentTimeMillis
    if (agent.status === "suspended") {
      return yield* new AgentSuspended({
        detail: "The agent is suspended by the station's operators.",
        suspension: {
          reason: agent.suspendedReason ?? "not stated",
          until: agent.suspendedUntilMs === null ? null : new Date(agent.suspendedUntilMs).toISOString(),
          appealUrl: appealUrl(keys, publicUrl, agent.id)
        }
      })
    }
    if (agent.status !== "claimed") return yield* new AgentNotActive({ detail: "The agent has not been claimed." })
    const policy = isRead(request.method)
      ? { name: "agent-reads", limit: agentReadsPerMinuteMax, windowSec: 60 }
      : { name: "agent-writes", limit: agentWritesPerMinuteMax, windowSec: 60 }
    const allowance = yield* flood.take(policy, agent.id)
    if (!allowance.allowed)
      return yield* new RateLimited({
        detail: `An agent may send ${allowance.policy.limit} of these a minute.`,
        retryAfterSec: allowance.waitSec,
        meter: "agent"
      })
    return {
      agent,
      grants,
      keyId: found.keyId,
      scopes: scopesOf(agent.persona.role, agent.requestedScopes, grants.scopesRevoked),
      nowMs,
      // Lazy, because most operations don't need it.
      appealUrl: () => appealUrl(keys, publicUrl, agent.id),
      seenAtMs: Math.min(agent.lastSeenAtMs ?? 0, found.keyUsedAtMs ?? 0)
    }
  })
})
