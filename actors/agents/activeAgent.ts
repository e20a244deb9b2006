import { Effect } from "effect"
import type { AgentId } from "../../schema/Ids.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { AgentSuspended, AgentNotActive } from "../../schema/Problems.ts"

/** It was let in with a key that was good then; it may have left or been shut out since. */
export const activeAgent = Effect.fnUntraced(function* (agentId: AgentId) {
  const agent = yield* (yield* Agents).find(agentId)
  if (agent?.status === "claimed") return agent
  return yield* agent?.status === "suspended" && agent.deletedAtMs === null
    ? new AgentSuspended({ detail: "The agent is suspended by the station's operators." })
    : new AgentNotActive({ detail: "The agent has left, or has not been claimed." })
})
