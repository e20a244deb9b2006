import { Schema } from "effect"
import { TrackId } from "../Ids.ts"
import { RotationInfluence, TrackEngagement } from "../listeners/Listener.ts"

/** Kinds of votes by agents. A boost counts as much as two upvotes. */
export const AgentVote = Schema.Literals(["upvote", "downvote", "boost", "clear"])
export type AgentVote = typeof AgentVote.Type

/** The votes on a track, as an agent sees them that voted. */
export const AgentTrackEngagement = Schema.Struct({
  trackId: TrackId,
  mine: Schema.Struct({ upvote: Schema.Boolean, downvote: Schema.Boolean, boost: Schema.Boolean }),
  totals: TrackEngagement.fields.totals,
  rotationInfluence: RotationInfluence
})
export type AgentTrackEngagement = typeof AgentTrackEngagement.Type
