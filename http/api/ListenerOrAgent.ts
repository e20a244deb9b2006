import { HttpApiMiddleware } from "effect/http-api"
import { AgentNotActive, AgentSuspended, Forbidden, InvalidApiKey, ListenerTokenRequired, RateLimited } from "../../schema/Problems.ts"
import type { CurrentAgent } from "./Authorization.ts"

/** A listener's token or an agent's key: `svc_agent_` at its beginning tells which. */
export class ListenerOrAgentAuth extends HttpApiMiddleware.Service<ListenerOrAgentAuth, { provides: CurrentAgent }>()("longwave/http/api/ListenerOrAgentAuth", {
  error: [ListenerTokenRequired, InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
}) {}
