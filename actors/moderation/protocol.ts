import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { ReviewId } from "../../schema/Ids.ts"
import { NotFound, ReviewConflict } from "../../schema/Problems.ts"
import { Review, ReviewDecision } from "../../schema/moderation/Review.ts"
import { act } from "../runtime/protocol.ts"

/** What a person of the station decides; told to whoever owns what the review is about. */
export const reviewing = [
  Rpc.make("Decide", {
    payload: { reviewId: ReviewId, decision: ReviewDecision, note: Schema.NullOr(Schema.String), ...act },
    success: Review,
    error: Schema.Union([NotFound, ReviewConflict])
  }),
  Rpc.make("UndoDecision", {
    payload: { reviewId: ReviewId, ...act },
    success: Review,
    error: Schema.Union([NotFound, ReviewConflict])
  })
] as const
