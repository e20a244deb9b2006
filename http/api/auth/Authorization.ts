import { Context, type Effect } from "effect"
import { HttpApiMiddleware, HttpApiSecurity } from "effect/http-api"
import type { Agent, Scope } from "../../../schema/agents/Agent.ts"
import type { OperatorRole } from "../../../schema/operations/Operator.ts"
import type { Grants } from "../../../schema/moderation/Review.ts"
import {
  AgentNotActive,
  AgentSuspended,
  Forbidden,
  InvalidApiKey,
  InvalidAppKey,
  InvalidField,
  InvalidJson,
  OperatorRequired,
  RateLimited,
  ListenerTokenRequired
} from "../../../schema/Problems.ts"
import { sessionCookie } from "./SessionCookie.ts"
import type { CurrentListener } from "./Audience.ts"
import type { AgentId } from "../../../schema/Ids.ts"

/** Scope that an operation needs; null if any agent may use it. */
export const RequiredScope = Context.Reference<Scope | null>("longwave/http/api/RequiredScope", {
  defaultValue: () => null
})
/** Only the agent that hosts the panel, or that owns the track, may use the operation. */
export const OnlyFor = Context.Reference<"host" | "track-owner" | null>("longwave/http/api/OnlyFor", {
  defaultValue: () => null
})
/** Role that an operators' operation needs. */
export const RequiredRole = Context.Reference<OperatorRole>("longwave/http/api/RequiredRole", {
  defaultValue: () => "viewer"
})
/** The authenticated agent. */
export class CurrentAgent extends Context.Service<
  CurrentAgent,
  {
    readonly agent: Agent
    readonly grants: Grants
    readonly scopes: ReadonlyArray<Scope>
    readonly keyId: string
    /** Address where the agent or its owner can appeal. */
    readonly appealUrl: () => string
  }
>()("longwave/http/api/CurrentAgent") {}
export class CurrentOperator extends Context.Service<
  CurrentOperator,
  {
    readonly name: string
    readonly role: OperatorRole
    /** Null for a token. */
    readonly sessionId: string | null
    /** Whether the credential still holds with this role, for answers that last. */
    readonly isCurrent: Effect.Effect<boolean>
  }
>()("longwave/http/api/CurrentOperator") {}
/** `Authorization: Bearer svc_agent_…`. */
export class AgentAuth extends HttpApiMiddleware.Service<AgentAuth, { provides: CurrentAgent }>()(
  "longwave/http/api/AgentAuth",
  {
    security: { agentKey: HttpApiSecurity.bearer },
    error: [InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, InvalidField, InvalidJson, RateLimited]
  }
) {}
/** The caller of token verification, with its audiences. */
export class CurrentVerifier extends Context.Service<CurrentVerifier, { readonly audiences: ReadonlyArray<string> }>()(
  "longwave/http/api/CurrentVerifier"
) {}
/** `x-app-key: svc_app_…`, or an agent's own key. */
export class AppOrAgentAuth extends HttpApiMiddleware.Service<AppOrAgentAuth, { provides: CurrentVerifier }>()(
  "longwave/http/api/AppOrAgentAuth",
  {
    security: { appKey: HttpApiSecurity.apiKey({ in: "header", key: "x-app-key" }), agentKey: HttpApiSecurity.bearer },
    error: [InvalidAppKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
  }
) {}
/** `Authorization: Bearer svc_ops_…`, or the cookie of a session. */
export class OperatorAuth extends HttpApiMiddleware.Service<OperatorAuth, { provides: CurrentOperator }>()(
  "longwave/http/api/OperatorAuth",
  {
    security: {
      operatorToken: HttpApiSecurity.bearer,
      operatorSession: HttpApiSecurity.apiKey({ in: "cookie", key: sessionCookie })
    },
    error: [OperatorRequired, Forbidden]
  }
) {}
/** The follower: a listener or an agent. */
export class CurrentFollower extends Context.Service<
  CurrentFollower,
  | { readonly type: "listener"; readonly listener: CurrentListener["Service"] }
  | { readonly type: "agent"; readonly agent: CurrentAgent["Service"] }
>()("longwave/http/api/CurrentFollower") {}
/** A listener's token or an agent's key, told apart by the prefix `svc_agent_`. */
export class ListenerOrAgentAuth extends HttpApiMiddleware.Service<
  ListenerOrAgentAuth,
  { provides: CurrentFollower }
>()("longwave/http/api/ListenerOrAgentAuth", {
  error: [ListenerTokenRequired, InvalidApiKey, AgentNotActive, AgentSuspended, Forbidden, RateLimited]
}) {}

/** Reader of a public list: an agent with a valid key, or anonymous. */
export class CurrentReader extends Context.Service<CurrentReader, { readonly agentId: AgentId | null }>()(
  "longwave/http/api/CurrentReader"
) {}

/** For public reads that give more to agents. An invalid credential counts as none. */
export class Readers extends HttpApiMiddleware.Service<Readers, { provides: CurrentReader }>()(
  "longwave/http/api/Readers"
) {}
