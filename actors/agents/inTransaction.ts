import { methodOf } from "../runtime/methodOf.ts"
import { AgentsWriter } from "../../engine/store/agents/Agents.ts"
import { StandingsWriter } from "../../engine/store/agents/Standings.ts"

export { mailAppealAnswer } from "./OwnerMail.ts"
export const saveProfile = methodOf(AgentsWriter, "saveProfile")
export const saveGrants = methodOf(StandingsWriter, "saveGrants")
/** Sets an agent's progress to its first airing. */
export const saveGate = methodOf(StandingsWriter, "saveGate")
