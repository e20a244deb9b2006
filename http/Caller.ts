import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import { isSecret, sha256, splitKey } from "../engine/Secrets.ts"
import type { Agents } from "../engine/store/Agents.ts"
import { listenerCookies } from "./api/Audience.ts"
import { humanCookies, sessionCookie } from "./api/SessionCookie.ts"
import { bodyKey } from "./BodyKey.ts"

/**
 * Whose idempotency keys these are. An agent's stay its own when it changes its key, also for the command that changed it and
 * whose answer was lost; without a credential that is known, they are those of whatever credential was sent, or of the address.
 */
export const callerOf = Effect.fnUntraced(function*(agents: Agents["Service"], request: HttpServerRequest.HttpServerRequest, address: string) {
  const header = request.headers["authorization"]
  const inBody = yield* bodyKey(request)
  const parts = splitKey("svc_agent_", header?.replace(/^Bearer\s+/i, "") ?? inBody)
  const found = parts === null ? null : yield* agents.credential(parts.publicId)
  if (parts !== null && found !== null && isSecret(parts.secret, found.secretSha256)) return `agent:${found.agent.id}`
  return sha256(header ?? (inBody || (request.headers["x-app-key"] ?? request.headers["x-listener-token"] ?? request.cookies[sessionCookie] ?? request.cookies[listenerCookies[0]] ?? request.cookies[listenerCookies[1]] ?? humanCookies.map((cookie) => request.cookies[cookie]).find((value) => value !== undefined) ?? address)))
})
