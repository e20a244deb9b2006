import { Clock, Effect } from "effect"
import { type ReviewRecord, Reviews } from "../../engine/store/moderation.ts"
import { Tracks } from "../../engine/store/music/Tracks.ts"
import { TrackVotes } from "../../engine/store/music/TrackVotes.ts"
import type { TrackId } from "../../schema/Ids.ts"
import { ReviewConflict } from "../../schema/Problems.ts"
import type { ReviewStatus } from "../../schema/moderation/Review.ts"
import type { TrackStatus } from "../../schema/music/Track.ts"
import { countedAll } from "../runtime/MessageCounters.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { TrackReviewer } from "./protocol/TrackReviewer.ts"
import { decideReview, undoReview } from "../moderation/Reviews.ts"
import { emit } from "../runtime/emit.ts"

const ofRested: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "retired",
  changes_requested: "retired",
  held: "held"
}
/** One that is new waits on while its review is held. */
const ofNew: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "rejected"
}
const statusFor = (before: TrackStatus) => (before === "pending_review" ? ofNew : ofRested)
const movedOn = new ReviewConflict({ detail: "It changed in the meantime. Read it again." })

interface State {
  readonly approvalStatus: TrackStatus
  readonly approvalReason: string | null
  readonly restedUntilMs: number | null
}

const stateOf = Effect.fnUntraced(function* (trackId: string) {
  const track = yield* (yield* Tracks).find(trackId as TrackId)
  if (track === null) return yield* movedOn
  const state: State = {
    approvalStatus: track.approvalStatus,
    approvalReason: track.approvalReason,
    restedUntilMs: yield* (yield* TrackVotes).restOf(trackId)
  }
  return state
})

const become = Effect.fnUntraced(function* (trackId: string, before: State, after: State) {
  const votes = yield* TrackVotes
  const moved = yield* (yield* Tracks).judge(trackId, {
    from: [before.approvalStatus],
    to: after.approvalStatus,
    reason: after.approvalReason,
    atMs: yield* Clock.currentTimeMillis
  })
  if (moved === null) return yield* movedOn
  yield* votes.rest(trackId, after.restedUntilMs)
  return moved
})

/** How a track that rests follows what is decided on it. */
const following = {
  apply: Effect.fnUntraced(function* ({ subjectId }: ReviewRecord, status: ReviewStatus, reason: string | null) {
    const before = yield* stateOf(subjectId)
    const to = statusFor(before.approvalStatus)[status]
    if (to === undefined) return { before, after: before }
    const after: State = {
      approvalStatus: to,
      approvalReason: to === "approved" ? null : reason,
      restedUntilMs:
        to === "approved" && before.restedUntilMs !== null ? yield* Clock.currentTimeMillis : before.restedUntilMs
    }
    const { agentId, title } = yield* become(subjectId, before, after)
    if (agentId !== null && to !== "held")
      yield* emit({
        _tag: "TrackDecided",
        trackId: subjectId as TrackId,
        agentId,
        title,
        status: to === "approved" ? "approved" : "rejected",
        reason: after.approvalReason
      })
    return { before, after }
  }),
  restore: Effect.fnUntraced(function* ({ status, subjectId }: ReviewRecord, before: unknown) {
    const now = yield* stateOf(subjectId)
    const made = statusFor((before as State).approvalStatus)[status]
    // What somebody did to it since the decision stands.
    if (made !== undefined && made !== now.approvalStatus) return yield* movedOn
    yield* become(subjectId, now, before as State)
    return before
  })
}

const ownerOf = (reviewId: string) =>
  Effect.flatMap(Reviews, (reviews) => Effect.map(reviews.find(reviewId), (review) => review?.agentId ?? null))

export const TrackReviewerLive = TrackReviewer.toLayer(
  Effect.succeed(
    TrackReviewer.of(
      countedAll("TrackReviewer", {
        Decide: ({ payload }) =>
          Effect.flatMap(ownerOf(payload.reviewId), (agentId) =>
            decideReview(agentId, payload.reviewId, payload.decision, payload.note, payload, following)
          ),
        UndoDecision: ({ payload }) =>
          Effect.flatMap(ownerOf(payload.reviewId), (agentId) =>
            undoReview(agentId, payload.reviewId, payload, following)
          )
      })
    )
  ),
  transient
)
