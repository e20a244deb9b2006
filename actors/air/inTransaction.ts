import { joined } from "../runtime/joined.ts"
import { ListenerCreditsWriter } from "../../engine/store/air/ListenerCredits.ts"

/** Names a listener beside what is heard for them. */
export const credit = joined(ListenerCreditsWriter, "give")
/** Takes an erased person's name from everything that was heard for them. */
export const forgetCredits = joined(ListenerCreditsWriter, "forget")
