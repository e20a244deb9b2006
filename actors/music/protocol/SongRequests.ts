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

/** Songs that are asked for: keyed by the account, the guest's address or the agent. */
export const audienceRequests = [
  /** One that waits is one for each of them. */
  Rpc.make("RequestSong", {
    payload: { draft: SongRequestDraft },
    success: SongRequest,
    error: Schema.Union([TrackNotFound, BroadcastConsentRequired, SongRequestAlreadyActive, SongRequestLimitReached])
  }),
  /** An operator takes it back: it leaves the rundown unless it is being heard. A repeat changes nothing. */
  Rpc.make("CancelSongRequest", {
    payload: { requestId: Schema.String, ...act },
    success: SongRequest,
    error: Schema.Union([NotFound, SubjectConflict])
  })
] as const
