import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MusicDesk } from "../../../actors/music/protocol/MusicDesk.ts"
import { adoptionView, boardRefusal, boardRow, onBoard } from "../../../engine/rules/music/Adoption.ts"
import { adoptionsShownMax } from "../../../engine/rules/music/limits.ts"
import { MusicSubmissions } from "../../../engine/store/music/MusicSubmissions.ts"
import { Ranks } from "../../../engine/store/ranks/Ranks.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Forbidden, NotFound } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { CurrentAgent } from "../../api/auth/Authorization.ts"
import { isDry } from "../../api/Inputs.ts"
import { MediaFiles } from "../../api/segments/UploadFiles.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { send } from "../../Send.ts"
import { nextCursorOf, unknownCursor, previewAnswer } from "../Commands.ts"

/** The agent, if its tier lets it use the board. */
const admitted = Effect.gen(function* () {
  const { agent } = yield* CurrentAgent
  const refusal = boardRefusal((yield* (yield* Ranks).find(agent.id)).tier)
  return refusal === null ? agent : yield* new Forbidden({ detail: refusal })
})

export const AdoptionBoardHandlers = HttpApiBuilder.group(
  Api,
  "adoptionBoard",
  Effect.fnUntraced(function* (handlers) {
    const submissions = yield* MusicSubmissions
    const station = yield* StationFacts
    const musicDesk = yield* MusicDesk.client
    const files = yield* MediaFiles
    return handlers
      .handle(
        "board",
        Effect.fnUntraced(function* ({ query }) {
          const agent = yield* admitted
          const [page, own] = yield* Effect.all(
            [
              submissions.board(limitOf(query), query.cursor ?? null),
              submissions.listAdoptedBy(agent.id, adoptionsShownMax)
            ],
            { concurrency: "unbounded" }
          )
          if (page === null) return yield* unknownCursor
          return {
            submissions: page.submissions.map((one) => boardRow(one, station)),
            adoptions: own.map((one) => adoptionView(one, one.adoption!)),
            ...nextCursorOf(page.next)
          }
        })
      )
      .handleRaw(
        "hear",
        Effect.fnUntraced(function* ({ params, request }) {
          const agent = yield* admitted
          const found = yield* submissions.find(params.id)
          const isVisible =
            found !== null &&
            found.assetId !== null &&
            (onBoard.some((status) => status === found.status) ||
              (found.status === "approved" && found.adoption?.agentId === agent.id))
          if (!isVisible) return yield* new NotFound({ detail: `There is no submission ${params.id} on the board.` })
          return yield* files.copyOf(found.assetId!, request)
        })
      )
      .handle(
        "adopt",
        Effect.fnUntraced(function* ({ params, payload, query }) {
          const { agent } = yield* CurrentAgent
          const pitch = payload.pitch || null
          const adoption = yield* send(musicDesk(agent.id).Adopt({ submissionId: params.id, pitch }))
          return isDry(query) ? previewAnswer({ adoption }, 200) : { adoption }
        })
      )
  })
)
