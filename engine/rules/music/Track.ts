import type { Judgement } from "../../../schema/moderation/Review.ts"
import type { TrackStatus } from "../../../schema/music/Track.ts"

const outcomes: { readonly [J in Judgement]: { readonly [From in TrackStatus]?: TrackStatus } } = {
  remove: { pending_review: "retired", approved: "retired", held: "retired", rejected: "retired", retired: "retired" },
  hold: { approved: "held", held: "held" },
  release: { held: "approved", approved: "approved" }
}

/** What an operator's judgement makes of a track; null where it makes no sense. */
export const judged = (status: TrackStatus, judgement: Judgement): TrackStatus | null =>
  outcomes[judgement][status] ?? null
