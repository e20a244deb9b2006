import { Schema } from "effect"
import { InteractionId } from "../../../schema/Ids.ts"
import { jobKind } from "../../runtime/protocol.ts"

/** A call gets what it lacks: its words in writing, and once it is approved its sound for the air. */
export const ProcessCall = jobKind("listeners.process_call", Schema.Struct({ interactionId: InteractionId }))
