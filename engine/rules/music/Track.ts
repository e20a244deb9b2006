import type { Flag } from "../../../schema/moderation/Precheck.ts"
import type { Judgement, ReviewCard, ReviewStatus } from "../../../schema/moderation/Review.ts"
import type { Track, TrackStatus } from "../../../schema/music/Track.ts"

const outcomes: { readonly [J in Judgement]: { readonly [From in TrackStatus]?: TrackStatus } } = {
  remove: { pending_review: "retired", approved: "retired", held: "retired", rejected: "retired", retired: "retired" },
  hold: { approved: "held", held: "held" },
  release: { held: "approved", approved: "approved" }
}

/** What an operator's judgement makes of a track; null where it makes no sense. */
export const judged = (status: TrackStatus, judgement: Judgement): TrackStatus | null =>
  outcomes[judgement][status] ?? null

const ofRested: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "retired",
  changes_requested: "retired",
  held: "held"
}
/** A new one waits on while its review is held. */
const ofNew: { readonly [Status in ReviewStatus]?: TrackStatus } = {
  approved: "approved",
  rejected: "rejected",
  changes_requested: "rejected"
}
/** Where a reviewer's decision leads: of a track that votes have sent to rest, or of one that is new. */
export const decidedTrack = (status: TrackStatus, review: ReviewStatus): TrackStatus =>
  (status === "pending_review" ? ofNew : ofRested)[review] ?? status

/** A track as reviewers read it. `body` says why it is to be looked at. */
export const trackCard = (
  { agentId, id, title }: Pick<Track, "agentId" | "id" | "title">,
  body: string,
  flags: ReadonlyArray<Flag> = []
): ReviewCard => ({ kind: "track", type: "track", id, agentId, flags, title, body })
