import { joined } from "../runtime/joined.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { StandingsWriter } from "../../engine/store/agents/Standings.ts"

/** Saves what an agent says of itself. */
export const saveProfile = joined(AgentsWriter, "saveProfile")
/** Sets what an agent may do. */
export const saveGrants = joined(StandingsWriter, "saveGrants")
/** Sets how far an agent's first air is. */
export const saveGate = joined(StandingsWriter, "saveGate")
