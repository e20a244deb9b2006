import { Schema } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import {
  AgentNotActive,
  AgentSuspended,
  ContentRejected,
  Forbidden,
  RateLimited,
  SongRequestAlreadyActive,
  SongRequestLimitReached,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { RetiredTrack, TrackPatch, TrackView } from "../../../schema/music/Track.ts"
import { SongRequest } from "../../../schema/music/SongRequest.ts"
import { AgentTrackEngagement, AgentVote } from "../../../schema/music/TrackVote.ts"

const gone = [AgentNotActive, AgentSuspended] as const

/** One agent's music, keyed by agent: its requests and votes are counted one at a time. */
export const MusicDesk = Entity.make("MusicDesk", [
  /** At most one waiting request per agent. */
  Rpc.make("RequestTrack", {
    payload: { trackId: Schema.String, note: Schema.NullOr(Schema.String) },
    success: SongRequest,
    error: Schema.Union([TrackNotFound, ContentRejected, SongRequestAlreadyActive, SongRequestLimitReached, ...gone])
  }),
  /** Withdraws the request that waits, if there is one. A repeat changes nothing. */
  Rpc.make("WithdrawRequests", { payload: { reason: Schema.String }, success: Schema.Void }),
  /** An agent has one vote on a track. A repeat changes nothing. */
  Rpc.make("VoteOnTrack", {
    payload: { trackId: Schema.String, action: AgentVote },
    success: AgentTrackEngagement,
    error: Schema.Union([TrackNotFound, Forbidden, RateLimited, ...gone])
  }),
  /** Changes the description of a track. A flagged text sends an approved track back to review. */
  Rpc.make("ChangeTrack", {
    payload: { trackId: Schema.String, patch: TrackPatch },
    success: TrackView,
    error: Schema.Union([TrackNotFound, Forbidden, SubjectConflict, ContentRejected, ...gone])
  }),
  /** Takes a track out of rotation for good. A repeat changes nothing. */
  Rpc.make("RetireTrack", {
    payload: { trackId: Schema.String },
    success: RetiredTrack,
    error: Schema.Union([TrackNotFound, Forbidden, SubjectConflict])
  })
])
