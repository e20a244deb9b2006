import { Schema } from "effect"
import { InteractionId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

const call = Schema.Struct({ interactionId: InteractionId })

/** Masters an approved call for the air. */
export const PrepareCall = jobKind("listeners.prepare_call", call)

/** Transcribes a call for its reviewer. */
export const TranscribeCall = jobKind("listeners.transcribe_call", call)
