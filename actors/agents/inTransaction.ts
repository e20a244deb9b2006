import { joined } from "../runtime/joined.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { StandingsWriter } from "../../engine/store/agents/Standings.ts"

export const saveProfile = joined(AgentsWriter, "saveProfile")
export const saveGrants = joined(StandingsWriter, "saveGrants")
/** Sets an agent's progress to its first airing. */
export const saveGate = joined(StandingsWriter, "saveGate")
