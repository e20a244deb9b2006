import { Effect } from "effect"
import { Entity } from "effect/cluster"
import type { AgentId } from "../../schema/Ids.ts"
import { behaviours } from "../runtime/Command.ts"
import { transient } from "../runtime/EntityKinds.ts"
import { MusicDesk } from "./protocol/MusicDesk.ts"
import { cancelMusic, musicRequests } from "./MusicRequests.ts"
import { ownTracks } from "./OwnTracks.ts"
import { agentRequests } from "./SongRequests.ts"
import { agentVotes } from "./TrackVotes.ts"

/** One agent's tracks, song requests and votes. */
export const MusicDeskLive = MusicDesk.toLayer(
  Effect.gen(function* () {
    const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
    const requests = agentRequests(agentId)
    return MusicDesk.of(
      yield* behaviours(MusicDesk, {
        ...requests,
        ...agentVotes(agentId),
        ...ownTracks(agentId),
        ...musicRequests(agentId),
        WithdrawRequests: (message) =>
          Effect.andThen(requests.WithdrawRequests(message), cancelMusic(agentId, message.payload.reason))
      })
    )
  }),
  transient
)
