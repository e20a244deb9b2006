import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { ReviewId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict } from "../../schema/Problems.ts"
import { Review, ReviewDecision } from "../../schema/Review.ts"

const act = { actor: Schema.String, reason: Schema.NullOr(Schema.String) }

/** What a person of the station decides on of an agent's own record. */
export const deskReviews = [
  Rpc.make("Decide", {
    payload: { reviewId: ReviewId, decision: ReviewDecision, note: Schema.NullOr(Schema.String), ...act },
    success: Review,
    error: Schema.Union([NotFound, ReviewConflict])
  }),
  Rpc.make("UndoDecision", { payload: { reviewId: ReviewId, ...act }, success: Review, error: Schema.Union([NotFound, ReviewConflict]) })
] as const
