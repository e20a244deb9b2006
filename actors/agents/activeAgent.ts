import { Effect } from "effect"
import type { AgentId } from "../../schema/Ids.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentSuspended, AgentNotActive } from "../../schema/Problems.ts"

/** The agent, if it is claimed. It may have left or been suspended after its key was checked. */
export const activeAgent = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).findCaller(agentId)
  if (agent?.status === "claimed") return agent
  return yield* agent?.status === "suspended" && agent.deletedAtMs === null
    ? new AgentSuspended({ detail: "The agent is suspended by the station's operators." })
    : new AgentNotActive({ detail: "The agent has left, or has not been claimed." })
})
