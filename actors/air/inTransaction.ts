import { methodOf } from "../runtime/methodOf.ts"
import { AnnouncementsWriter } from "../../engine/store/air/Announcements.ts"
import { ListenerCreditsWriter } from "../../engine/store/air/ListenerCredits.ts"

/** Credits a listener for an aired item. */
export const credit = methodOf(ListenerCreditsWriter, "give")
/** Removes the credits of an erased person. */
export const forgetCredits = methodOf(ListenerCreditsWriter, "forget")
/** Removes an erased person's name from what the station said or would say. */
export const forgetAnnouncements = methodOf(AnnouncementsWriter, "forget")
