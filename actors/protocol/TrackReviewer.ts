import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import { ReviewId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict } from "../../schema/Problems.ts"
import { Review, ReviewDecision } from "../../schema/Review.ts"

/** The operator who acts, and why: both go to the audit log. */
const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }

/** What becomes of a track that votes have sent to rest. Keyed by the track. */
export const TrackReviewer = Entity.make("TrackReviewer", [
  /** Approved it comes back at once, and isn't sent away again for the same votes; rejected it is retired. A repeat changes nothing. */
  Rpc.make("Decide", {
    payload: { reviewId: ReviewId, decision: ReviewDecision, note: Schema.NullOr(Schema.String), ...act },
    success: Review,
    error: Schema.Union([NotFound, ReviewConflict])
  }),
  Rpc.make("UndoDecision", { payload: { reviewId: ReviewId, ...act }, success: Review, error: Schema.Union([NotFound, ReviewConflict]) })
])
