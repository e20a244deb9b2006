import { Effect } from "effect"
import type { AgentId } from "../../schema/Ids.ts"
import { statelessLayer } from "../runtime/statelessLayer.ts"
import { StationConfig } from "../../engine/runtime/Config.ts"
import { ownedBy, reviewHandlers } from "../moderation/reviewHandlers.ts"
import { adoptions, releaseAdoptions } from "./Adoptions.ts"
import { submissionReview } from "./SubmissionReview.ts"
import { MusicDesk } from "./protocol/MusicDesk.ts"
import { createMusic } from "./MusicCreations.ts"
import { cancelMusic, musicRequests } from "./MusicRequests.ts"
import { deskTracks } from "./OwnTracks.ts"
import { libraryUploads } from "./LibraryUploads.ts"
import { remixes } from "./Remixes.ts"
import { agentRequests } from "./SongRequests.ts"
import { trackEdits } from "./TrackEdits.ts"
import { agentVotes } from "./TrackVotes.ts"

/** One agent's tracks, adoptions, song requests and votes; the station's own desk has reviews alone. */
export const MusicDeskLive = statelessLayer(
  MusicDesk,
  Effect.map(StationConfig, ({ stationSlug }) => (agentId: AgentId) => {
    const requests = agentRequests(agentId)
    return MusicDesk.of({
      ...requests,
      ...agentVotes(agentId),
      ...deskTracks(agentId),
      ...trackEdits,
      ...libraryUploads,
      ...musicRequests(agentId),
      CreateMusic: ({ payload }) => createMusic(agentId, payload),
      ...remixes(agentId),
      ...adoptions(agentId),
      ...reviewHandlers([submissionReview], ownedBy(agentId, stationSlug)),
      WithdrawRequests: (message) =>
        Effect.all([
          requests.WithdrawRequests(message),
          cancelMusic(agentId, message.payload.reason),
          releaseAdoptions(agentId, message.payload.reason)
        ]).pipe(Effect.asVoid)
    })
  }),
  // Decoding takes seconds.
  { outOfTurn: ["AddTrack", "SetCover"] }
)
