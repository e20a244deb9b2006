import { joined } from "../runtime/joined.ts"
import { ListenerCreditsWriter } from "../../engine/store/air/ListenerCredits.ts"

/** Credits a listener for an aired item. */
export const credit = joined(ListenerCreditsWriter, "give")
/** Removes the credits of an erased person. */
export const forgetCredits = joined(ListenerCreditsWriter, "forget")
