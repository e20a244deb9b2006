import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { rotationInfluence } from "../../../engine/rules/music/TrackInfluence.ts"
import { TrackVotes } from "../../../engine/store/music/TrackVotes.ts"
import type { TrackId } from "../../../schema/Ids.ts"
import { TrackNotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAudience } from "../../api/auth/Audience.ts"

const noVote = { like: false, dislike: false, reasonCode: null }

/** The caller's own vote; null unless their token proves who they are. */
const mineOf = Effect.fnUntraced(function* (trackId: string, named: string | undefined) {
  const { human, listenerId } = yield* CurrentAudience
  if (listenerId === null || (named !== undefined && named !== listenerId)) return null
  const mine = yield* (yield* TrackVotes).findOwn(trackId, { listenerId, humanId: human?.id ?? null })
  return mine === null
    ? noVote
    : { like: mine.action === "like", dislike: mine.action === "dislike", reasonCode: mine.reasonCode }
})

export const TrackEngagementHandlers = HttpApiBuilder.group(Api, "trackEngagement", (handlers) =>
  handlers.handleAll({
    engagement: Effect.fnUntraced(function* ({ params: { id }, query }) {
      const votes = yield* TrackVotes
      const standing = yield* votes.findStanding(id)
      if (standing === null) return yield* new TrackNotFound({ detail: `There is no track ${id} with sound.` })
      return {
        trackId: id as TrackId,
        totals: yield* votes.totals(id),
        rotationInfluence: rotationInfluence(standing.voteWeight, standing.isScheduled),
        mine: yield* mineOf(id, query.listenerId)
      }
    })
  })
)
