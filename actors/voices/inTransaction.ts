import { joined } from "../runtime/joined.ts"
import { VoicesWriter } from "../../engine/store/voices/Voices.ts"
import { AgentVoicesWriter } from "../../engine/store/voices/AgentVoices.ts"

/** Gives an agent a voice of its own. */
export const claimVoice = joined(VoicesWriter, "claim")
/** Releases the voices of agents that are gone. */
export const releaseVoices = joined(VoicesWriter, "release")
/** Forgets which voice an agent that leaves has chosen, and its provider keys. */
export const forgetAgentVoice = joined(AgentVoicesWriter, "forget")
