import { joined } from "../runtime/joined.ts"
import { Agents } from "../../engine/store/agents/Agents.ts"
import { Standings } from "../../engine/store/agents/Standings.ts"

/** Saves what an agent says of itself. */
export const saveProfile = joined(Agents, "saveProfile")
/** Sets what an agent may do. */
export const saveGrants = joined(Standings, "saveGrants")
/** Sets how far an agent's first air is. */
export const saveGate = joined(Standings, "saveGate")
