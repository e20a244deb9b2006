import { joined } from "../runtime/joined.ts"
import { Voices } from "../../engine/store/voices/Voices.ts"
import { AgentVoices } from "../../engine/store/voices/AgentVoices.ts"

/** Gives an agent a voice of its own. */
export const claimVoice = joined(Voices, "claim")
/** Releases the voices of agents that are gone. */
export const releaseVoices = joined(Voices, "release")
/** Forgets which voice an agent that leaves has chosen, and its provider keys. */
export const forgetAgentVoice = joined(AgentVoices, "forget")
