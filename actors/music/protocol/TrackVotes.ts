import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import { AgentId, ListenerId } from "../../../schema/Ids.ts"
import { EngageAnswer, EngageKind, TrackEngagement } from "../../../schema/listeners/Listener.ts"
import { InvalidField, InvalidReason, RateLimited, TrackNotFound } from "../../../schema/Problems.ts"

/** Listeners' votes, engagement and follows. A repeat changes nothing. */
export const audienceVotes = [
  Rpc.make("VoteOnTrack", {
    payload: {
      listenerId: ListenerId,
      trackId: Schema.String,
      action: Schema.Literals(["like", "dislike", "clear"]),
      reasonCode: Schema.NullOr(Schema.String),
      addressHash: Schema.String
    },
    success: TrackEngagement,
    error: Schema.Union([InvalidReason, TrackNotFound])
  }),
  Rpc.make("Engage", {
    payload: {
      listenerId: ListenerId,
      kind: EngageKind,
      subject: Schema.NullOr(Schema.Struct({ type: Schema.String, id: Schema.String })),
      value: Schema.NullOr(Schema.String)
    },
    success: EngageAnswer,
    error: Schema.Union([InvalidField, RateLimited])
  }),
  Rpc.make("FollowAgent", {
    payload: { listenerId: ListenerId, targetId: AgentId },
    success: Schema.Struct({ sinceMs: Schema.Finite }),
    error: RateLimited
  })
] as const
