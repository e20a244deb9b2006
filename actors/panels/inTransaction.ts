import { joined } from "../runtime/joined.ts"
import { Clips } from "../../engine/store/panels/Clips.ts"

/** Notes a second of a panel that a listener likes. */
export const likeClip = joined(Clips, "like")
