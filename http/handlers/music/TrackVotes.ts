import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { engageAllowance } from "../../../engine/rules/social/Engagement.ts"
import { AgentVote } from "../../../schema/music/TrackVote.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { actionOf, previewAnswer } from "../Commands.ts"
import { readAllowances, answerWithQuotas } from "../Quotas.ts"

export const TrackVotesHandlers = HttpApiBuilder.group(
  Api,
  "trackVotes",
  Effect.fnUntraced(function* (handlers) {
    const musicDesk = yield* MusicDesk.client
    return handlers.handleAll({
      voteOnTrack: Effect.fnUntraced(function* ({ params, payload, query }) {
        const { agent } = yield* CurrentAgent
        const action = yield* actionOf(AgentVote, payload.action)
        const engagement = yield* send(musicDesk(agent.id).VoteOnTrack({ trackId: params.id, action })).pipe(
          answerWithQuotas(readAllowances([engageAllowance], agent.id))
        )
        return isDry(query) ? previewAnswer(engagement, 200) : engagement
      })
    })
  })
)
