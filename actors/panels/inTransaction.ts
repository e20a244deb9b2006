import { joined } from "../runtime/joined.ts"
import { ClipsWriter } from "../../engine/store/panels/Clips.ts"

/** Notes a second of a panel that a listener likes. */
export const likeClip = joined(ClipsWriter, "like")
