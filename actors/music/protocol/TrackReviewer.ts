import { Entity } from "effect/cluster"
import { reviewing } from "../../moderation/protocol.ts"

/**
 * What becomes of a track that votes have sent to rest. Keyed by the track. Approved it comes back at once, and isn't sent away again
 * for the same votes; rejected it is retired. A repeat changes nothing.
 */
export const TrackReviewer = Entity.make("TrackReviewer", reviewing)
