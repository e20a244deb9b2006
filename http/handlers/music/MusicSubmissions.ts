import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SubmissionDesk } from "../../../actors/music/protocol/SubmissionDesk.ts"
import { Api } from "../../api/Api.ts"
import { CurrentHuman } from "../../api/auth/Audience.ts"
import { isDry } from "../../api/Inputs.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { send } from "../../Send.ts"
import { submissionDraft } from "../../views/SubmissionDraft.ts"
import { readSubmissions } from "../../views/AccountViews.ts"
import { keyFields, previewAnswer } from "../Commands.ts"

export const MusicSubmissionsHandlers = HttpApiBuilder.group(
  Api,
  "musicSubmissions",
  Effect.fn(function* (handlers) {
    const desk = yield* SubmissionDesk.client
    const files = yield* CallUploads
    return handlers.handleAll({
      submissions: () =>
        Effect.flatMap(CurrentHuman, ({ id }) => Effect.map(readSubmissions(id), (submissions) => ({ submissions }))),
      submit: Effect.fn("submitMusic")(function* ({ headers, payload, query }) {
        const { id } = yield* CurrentHuman
        const draft = yield* submissionDraft(payload)
        const submission = yield* files
          .runWithUpload(payload.file.path, (key) => send(desk(id).Submit({ draft, key })))
          .pipe(keyFields(headers, [id, draft, payload.file.name]))
        return isDry(query) ? previewAnswer({ submission }, 201) : { submission }
      }),
      withdraw: Effect.fn("withdrawMusic")(function* ({ params, query }) {
        const submission = yield* send(desk((yield* CurrentHuman).id).Withdraw({ submissionId: params.id }))
        return isDry(query) ? previewAnswer({ submission }, 200) : { submission }
      })
    })
  })
)
