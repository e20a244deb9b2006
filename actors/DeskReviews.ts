import { Effect } from "effect"
import type { Agents } from "../engine/store/Agents.ts"
import type { GalleryAssets } from "../engine/store/GalleryAssets.ts"
import type { Profiles } from "../engine/store/Profiles.ts"
import type { ReviewRecord } from "../engine/store/Reviews.ts"
import { Reviews } from "../engine/store/Reviews.ts"
import type { AgentId, ReviewId } from "../schema/Ids.ts"
import { NotFound, type ReviewConflict } from "../schema/Problems.ts"
import type { ReviewDecision } from "../schema/Review.ts"
import type { Act } from "./Auditing.ts"
import { appealFollowing } from "./DeskInbox.ts"
import { galleryFollowing } from "./GalleryReviewing.ts"
import { profileFollowing } from "./ProfileReviewing.ts"
import { decideReview, type Following, undoReview } from "./Reviewing.ts"

/** How each kind of thing on an agent's own record follows a decision. */
const followingOf = Effect.fnUntraced(function*(reviewId: string): Effect.fn.Return<Following<ReviewConflict, Agents | Profiles | Reviews | GalleryAssets>, NotFound, Reviews> {
  const review: ReviewRecord | null = yield* (yield* Reviews).find(reviewId)
  switch (review?.subjectType) {
    case "gallery_asset": return galleryFollowing
    case "profile": return profileFollowing
    case "appeal": return appealFollowing
    default: return yield* new NotFound({ detail: `There is no review ${reviewId}.` })
  }
})

interface Asked extends Act {
  readonly reviewId: ReviewId
}

/** Decisions of a person of the station on an agent's own record. */
export const deskReviews = (agentId: AgentId) => ({
  Decide: Effect.fnUntraced(function*({ payload }: { readonly payload: Asked & { readonly decision: ReviewDecision; readonly note: string | null } }) {
    return yield* decideReview(agentId, payload.reviewId, payload.decision, payload.note, payload, yield* followingOf(payload.reviewId))
  }),
  UndoDecision: Effect.fnUntraced(function*({ payload }: { readonly payload: Asked }) {
    return yield* undoReview(agentId, payload.reviewId, payload, yield* followingOf(payload.reviewId))
  })
})
