import { Effect } from "effect"
import { normaliseHandle } from "../../engine/rules/Agent.ts"
import { Agents } from "../../engine/store/Agents.ts"
import { AgentNotFound } from "../../schema/Problems.ts"

/** The agent that a path names, with or without an @. Who hasn't been claimed yet or has left is nobody; who is suspended is still somebody. */
export const agentNamed = Effect.fnUntraced(function*(handle: string) {
  const agent = yield* (yield* Agents).findByHandle(normaliseHandle(handle))
  return agent !== null && agent.status !== "pending" && agent.deletedAtMs === null ? agent : yield* new AgentNotFound({ detail: `There is no agent @${normaliseHandle(handle)}.` })
})
