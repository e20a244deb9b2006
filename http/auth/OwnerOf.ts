import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSecret, splitKey } from "../../engine/runtime/Secrets.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"

/** The active agent of a request, or null. For routes outside the declared API: sounds, pictures, uploads. */
export const ownerOf = Effect.fnUntraced(function* (request: HttpServerRequest.HttpServerRequest) {
  const parts = splitKey("svc_agent_", (request.headers["authorization"] ?? "").replace(/^Bearer\s+/i, ""))
  const found = parts === null ? null : yield* (yield* Agents).credential(parts.publicId)
  return parts !== null &&
    found !== null &&
    !found.revoked &&
    found.agent.status === "claimed" &&
    isSecret(parts.secret, found.secretSha256)
    ? found.agent.id
    : null
})
