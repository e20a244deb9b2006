import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { MusicRequestView } from "../../../schema/music/MusicRequest.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { send } from "../../Send.ts"
import { previewAnswer } from "../Commands.ts"
import { answerWithQuotas } from "../Quotas.ts"
import { genreMeant, moodMeant } from "../../views/Genres.ts"
import { readMusicQuota } from "./MusicRequests.ts"

export const RemixesHandlers = HttpApiBuilder.group(
  Api,
  "remixes",
  Effect.fnUntraced(function* (handlers) {
    const { publicUrl } = yield* StationFacts
    const musicDesk = yield* MusicDesk.client
    const answer = ({ jobId, requestId, status }: MusicRequestView, query: Parameters<typeof isDry>[0]) => {
      const pollUrl = `${publicUrl}/api/v1/agents/me/music/requests/${requestId}`
      const answer = { requestId, jobId, status, pollUrl }
      return isDry(query) ? previewAnswer(answer, 200) : answer
    }
    return handlers.handleAll({
      preview: Effect.fnUntraced(function* ({ payload }) {
        const { agent } = yield* CurrentAgent
        return { draft: yield* send(musicDesk(agent.id).PreviewRemix(payload)) }
      }),
      remix: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        return answer(
          yield* send(musicDesk(agent.id).Remix(payload)).pipe(answerWithQuotas(readMusicQuota(agent))),
          query
        )
      }),
      onSample: Effect.fnUntraced(function* ({ payload, query }) {
        const { agent } = yield* CurrentAgent
        const ask = {
          uploadId: payload.uploadId,
          title: payload.title ?? null,
          genre: yield* genreMeant(payload.genre, "/genre"),
          mood: yield* moodMeant(payload.mood, "/mood"),
          durationSec: payload.durationSec ?? null
        }
        return answer(
          yield* send(musicDesk(agent.id).SongOnSample(ask)).pipe(answerWithQuotas(readMusicQuota(agent))),
          query
        )
      })
    })
  })
)
