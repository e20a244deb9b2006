import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { Track, TrackStatus } from "../../../schema/music/Track.ts"

const outcomes: { readonly [J in Judgement]: { readonly [From in TrackStatus]?: TrackStatus } } = {
  remove: { pending_review: "retired", approved: "retired", held: "retired", rejected: "retired", retired: "retired" },
  hold: { approved: "held", held: "held" },
  release: { held: "approved", approved: "approved" }
}

/** State of a track after an operator's judgement; null if the judgement doesn't apply. */
export const judged = (status: TrackStatus, judgement: Judgement): TrackStatus | null =>
  outcomes[judgement][status] ?? null

const ofRested: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "retired",
  changes_requested: "retired",
  held: "held"
}
/** A new track keeps waiting while its review is held. */
const ofNew: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "rejected"
}
/** State after a reviewer's decision, for a track rested by votes or a new one. */
export const decidedTrack = (status: TrackStatus, review: ReviewStatus): TrackStatus =>
  (status === "pending_review" ? ofNew : ofRested)[review] ?? status

/** The review card of a track. `body` gives the reason for the review. */
export const trackCard = (
  { agentId, id, title }: Pick<Track, "agentId" | "id" | "title">,
  body: string,
  flags: ReadonlyArray<Flag> = []
): ReviewCard => ({ kind: "track", type: "track", id, agentId, flags, title, body })
