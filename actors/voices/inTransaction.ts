import { methodOf } from "../runtime/methodOf.ts"
import { VoicesWriter } from "../../engine/store/voices/Voices.ts"
import { AgentVoicesWriter } from "../../engine/store/voices/AgentVoices.ts"

export const claimVoice = methodOf(VoicesWriter, "claim")
/** Releases the voices of agents that left. */
export const releaseVoices = methodOf(VoicesWriter, "release")
/** Deletes the voice choice and provider keys of an agent that leaves. */
export const forgetAgentVoice = methodOf(AgentVoicesWriter, "forget")
