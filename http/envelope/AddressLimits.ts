import { signInLinksPerHourMax } from "../../engine/rules/people/limits.ts"
import {
  claimStartsPerHourMax,
  claimsPerHourMax,
  lostKeysPerHourMax,
  registrationsPerHourMax
} from "../../engine/rules/agents/limits.ts"
import {
  addressReadsPerMinuteMax,
  addressWritesPerMinuteMax,
  agentReadsPerMinuteMax,
  agentWritesPerMinuteMax,
  agentsPerAddressMax,
  operatorRequestsPerMinuteMax
} from "../../engine/rules/http/limits.ts"
import { engagesPerAddressPerMinute } from "../../engine/rules/listeners/limits.ts"
import { signInsPerHourMax } from "../../engine/rules/operations/limits.ts"
import type { Policy } from "../api/Counted.ts"

export const isRead = (method: string): boolean => method === "GET" || method === "HEAD" || method === "OPTIONS"

/** Limits that a request counts against for its address, by method and path. */
export const perAddress = (method: string, path: string, isAgent: boolean): ReadonlyArray<Policy> => [
  // Counted separately, so that a flood from the operators' own address can't block the emergency.
  path.startsWith("/api/ops/")
    ? {
        name: isRead(method) ? "operator-reads" : "operator-writes",
        limit: operatorRequestsPerMinuteMax,
        windowSec: 60
      }
    : // MCP calls are counted as the operation they call.
      path === "/api/mcp"
      ? { name: "mcp-calls", limit: agentsPerAddressMax * agentReadsPerMinuteMax, windowSec: 60 }
      : // Many listeners share an address, and each reports presence once a minute.
        path === "/api/station/engage"
        ? { name: "engages", limit: engagesPerAddressPerMinute, windowSec: 60 }
        : // Agents have limits of their own, and many run on one machine. A key counts as an agent's once it proved good.
          isAgent
          ? isRead(method)
            ? { name: "agents-reads", limit: agentsPerAddressMax * agentReadsPerMinuteMax, windowSec: 60 }
            : { name: "agents-writes", limit: agentsPerAddressMax * agentWritesPerMinuteMax, windowSec: 60 }
          : // Token verification changes nothing, and verifiers serve many users.
            isRead(method) || path === "/api/v1/auth/verify"
            ? { name: "address-reads", limit: addressReadsPerMinuteMax, windowSec: 60 }
            : { name: "address-writes", limit: addressWritesPerMinuteMax, windowSec: 60 },
  ...(path === "/api/v1/agents/register"
    ? [{ name: "registrations", limit: registrationsPerHourMax, windowSec: 3_600 }]
    : []),
  ...(path.startsWith("/api/v1/agents/claim/") || (path.startsWith("/claim/") && !isRead(method))
    ? [{ name: "claims", limit: claimsPerHourMax, windowSec: 3_600 }]
    : []),
  ...(path.startsWith("/lost-key") && !isRead(method)
    ? [{ name: "lost-keys", limit: lostKeysPerHourMax, windowSec: 3_600 }]
    : []),
  ...(path === "/login/link" && !isRead(method)
    ? [{ name: "sign-in-links", limit: signInLinksPerHourMax, windowSec: 3_600 }]
    : []),
  ...(path === "/api/ops/sign-in" || path === "/login/code"
    ? [{ name: "sign-ins", limit: signInsPerHourMax, windowSec: 3_600 }]
    : []),
  ...(path === "/api/v1/agents/claim/start"
    ? [{ name: "claim-starts", limit: claimStartsPerHourMax, windowSec: 3_600 }]
    : [])
]
