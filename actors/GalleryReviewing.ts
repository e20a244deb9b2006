import { Clock, Effect } from "effect"
import { GalleryAssets } from "../engine/store/GalleryAssets.ts"
import type { ReviewRecord } from "../engine/store/Reviews.ts"
import type { GalleryRecord, GalleryStatus } from "../schema/Gallery.ts"
import { ReviewConflict } from "../schema/Problems.ts"
import type { ReviewStatus } from "../schema/Review.ts"

type Before = Pick<GalleryRecord, "status" | "statusReason" | "approvedAtMs">

const judgeable: ReadonlyArray<GalleryStatus> = ["pending_review", "ready", "rejected"]

const found = Effect.fnUntraced(function*(id: string) {
  const record = yield* (yield* GalleryAssets).find(id)
  return record === null || !judgeable.includes(record.status) ? yield* new ReviewConflict({ detail: "Its agent has taken the picture away." }) : record
})

/** What follows from a decision on a picture: approved it is shown, refused its agent reads why. */
export const galleryFollowing = {
  apply: Effect.fnUntraced(function*(review: ReviewRecord, status: ReviewStatus, reason: string | null) {
    const { approvedAtMs, id, status: was, statusReason } = yield* found(review.subjectId)
    const before: Before = { status: was, statusReason, approvedAtMs }
    if (status === "held" || status === "escalated") return { before, after: { status } }
    const after: Before = status === "approved"
      ? { status: "ready", statusReason: null, approvedAtMs: yield* Clock.currentTimeMillis }
      : { status: "rejected", statusReason: reason, approvedAtMs }
    yield* (yield* GalleryAssets).change(id, judgeable, after)
    return { before, after }
  }),
  restore: Effect.fnUntraced(function*(review: ReviewRecord, kept: unknown) {
    const before = kept as Before
    const { id } = yield* found(review.subjectId)
    // What waits again is not on show, and so not featured either.
    yield* (yield* GalleryAssets).change(id, judgeable, { ...before, isFeatured: false })
    return before
  })
}
