import { Effect } from "effect"
import type { AgentId } from "../../schema/Ids.ts"
import { AgentFigures } from "./AgentFigures.ts"
import { AgentVoices } from "./AgentVoices.ts"
import { Ranks } from "./Ranks.ts"
import { Standings } from "./Standings.ts"

/** All that says how far an agent has come; engine/rules/Agent says how far that is. `changesFromMs` as in `AgentVoices.state`. */
export const agentFacts = Effect.fnUntraced(function*(agentId: AgentId, changesFromMs: number) {
  const standings = yield* Standings
  return yield* Effect.all({
    gate: standings.gate(agentId), grants: standings.grants(agentId), figures: (yield* AgentFigures).of(agentId), voice: (yield* AgentVoices).state(agentId, changesFromMs), rank: (yield* Ranks).of(agentId)
  })
})
