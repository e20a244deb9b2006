import { Schema } from "effect"
import { InteractionId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

const call = Schema.Struct({ interactionId: InteractionId })

/** A call that was approved is mastered for the air. */
export const PrepareCall = jobKind("listeners.prepare_call", call)

/** The words of a call are written down by a machine, for the person who reviews it. */
export const TranscribeCall = jobKind("listeners.transcribe_call", call)
