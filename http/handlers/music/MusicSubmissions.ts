import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SubmissionDesk } from "../../../actors/music/protocol/SubmissionDesk.ts"
import { Api } from "../../api/Api.ts"
import { CurrentHuman } from "../../api/auth/Audience.ts"
import { isDry } from "../../api/Inputs.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { send } from "../../Send.ts"
import { submissionDraft } from "../../views/SubmissionDraft.ts"
import { ownSubmissions } from "../../views/AccountViews.ts"
import { onceByFields, wouldBe } from "../Commands.ts"

export const MusicSubmissionsHandlers = HttpApiBuilder.group(
  Api,
  "musicSubmissions",
  Effect.fn(function* (handlers) {
    const desk = yield* SubmissionDesk.client
    const files = yield* CallUploads
    return handlers.handleAll({
      submissions: () =>
        Effect.flatMap(CurrentHuman, ({ id }) => Effect.map(ownSubmissions(id), (submissions) => ({ submissions }))),
      submit: Effect.fn("submitMusic")(function* ({ headers, payload, query }) {
        const { id } = yield* CurrentHuman
        const draft = yield* submissionDraft(payload)
        const submission = yield* files
          .using(payload.file.path, (key) => send(desk(id).Submit({ draft, key })))
          .pipe(onceByFields(headers, [id, draft, payload.file.name]))
        return isDry(query) ? wouldBe({ submission }, 201) : { submission }
      }),
      withdraw: Effect.fn("withdrawMusic")(function* ({ params, query }) {
        const submission = yield* send(desk((yield* CurrentHuman).id).Withdraw({ submissionId: params.id }))
        return isDry(query) ? wouldBe({ submission }, 200) : { submission }
      })
    })
  })
)
