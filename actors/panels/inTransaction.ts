import { methodOf } from "../runtime/methodOf.ts"
import { ClipsWriter } from "../../engine/store/panels/Clips.ts"

/** Records the second of a panel that a listener liked. */
export const likeClip = methodOf(ClipsWriter, "like")
