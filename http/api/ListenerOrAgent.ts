import { Context } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import { AgentNotActive, AgentSuspended, Forbidden, InvalidApiKey, ListenerTokenRequired, RateLimited } from "../../schema/Problems.ts"
import type { CurrentListener } from "./Audience.ts"
import type { CurrentAgent } from "./Authorization.ts"

/** Who follows: one of those who listen, or an agent. */
export class CurrentFollower extends Context.Service<CurrentFollower,
  | { readonly type: "listener"; readonly listener: CurrentListener["Service"] }
  | { readonly type: "agent"; readonly agent: CurrentAgent["Service"] }
>()("longwave/http/api/CurrentFollower") {}

/** A listener's token or an agent's key: `svc_agent_` at its beginning tells which. */
export class ListenerOrAgentAuth extends HttpApiMiddleware.Service<ListenerOrAgentAuth, { provides: CurrentFollower }>()("longwave/http/api/ListenerOrAgentAuth", {
  error: [ListenerTokenRequired, InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
}) {}
