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
  TrackNotFound
} from "../../../schema/Problems.ts"
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
  })
])
