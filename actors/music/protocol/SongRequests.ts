import { Schema } from "effect"
import { Rpc } from "effect/rpc"
import {
  BroadcastConsentRequired,
  NotFound,
  SongRequestAlreadyActive,
  SongRequestLimitReached,
  SubjectConflict,
  TrackNotFound
} from "../../../schema/Problems.ts"
import { SongRequest, SongRequestDraft } from "../../../schema/music/SongRequest.ts"
import { act } from "../../runtime/protocol.ts"

/** Song requests, keyed by account, guest address or agent. */
export const audienceRequests = [
  /** At most one waiting request per requester. */
  Rpc.make("RequestSong", {
    payload: { draft: SongRequestDraft },
    success: SongRequest,
    error: Schema.Union([TrackNotFound, BroadcastConsentRequired, SongRequestAlreadyActive, SongRequestLimitReached])
  }),
  /** Cancels a request. It leaves the rundown unless it is on the air. A repeat changes nothing. */
  Rpc.make("CancelSongRequest", {
    payload: { requestId: Schema.String, ...act },
    success: SongRequest,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const
