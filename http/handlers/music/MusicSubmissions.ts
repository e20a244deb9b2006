import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { SubmissionDesk } from "../../../actors/music/protocol/SubmissionDesk.ts"
import { submissionForOps } from "../../../engine/rules/music/Adoption.ts"
import { Reviews } from "../../../engine/store/moderation/Reviews.ts"
import { MusicSubmissions } from "../../../engine/store/music/MusicSubmissions.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import type { SubmissionRecord } from "../../../schema/music/MusicSubmission.ts"
import { NotFound, ReviewConflict } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { OpsApi } from "../../api/OpsApi.ts"
import { limitOf } from "../../api/segments/Segments.ts"
import { CurrentHuman } from "../../api/auth/Audience.ts"
import { isDry } from "../../api/Inputs.ts"
import { CallUploads } from "../../api/listeners/CallUploads.ts"
import { send } from "../../Send.ts"
import { submissionDraft } from "../../views/SubmissionDraft.ts"
import { readSubmissions } from "../../views/AccountViews.ts"
import { keyFields, nextCursorOf, previewAnswer, unknownCursor } from "../Commands.ts"
import { readSeenVersion, withVersion } from "../IfMatch.ts"
import { type DecisionBody, makeDecideReview } from "../moderation/DecideReview.ts"

export const MusicSubmissionsHandlers = HttpApiBuilder.group(
  Api,
  "musicSubmissions",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* SubmissionDesk.client
    const files = yield* CallUploads
    return handlers.handleAll({
      submissions: () =>
        Effect.flatMap(CurrentHuman, ({ id }) => Effect.map(readSubmissions(id), (submissions) => ({ submissions }))),
      submit: Effect.fnUntraced(function* ({ headers, payload, query }) {
        const { id } = yield* CurrentHuman
        const draft = yield* submissionDraft(payload)
        const submission = yield* files
          .runWithUpload(payload.file.path, (key) => send(desk(id).Submit({ draft, key })))
          .pipe(keyFields(headers, [id, draft, payload.file.name]))
        return isDry(query) ? previewAnswer({ submission }, 201) : { submission }
      }),
      withdraw: Effect.fnUntraced(function* ({ params, query }) {
        const submission = yield* send(desk((yield* CurrentHuman).id).Withdraw({ submissionId: params.id }))
        return isDry(query) ? previewAnswer({ submission }, 200) : { submission }
      })
    })
  })
)

/** Decides the review of this kind of a recording: the one that waits, or the last one, which refuses by itself. */
const makeDecide = Effect.map(makeDecideReview, (decideReview) =>
  Effect.fnUntraced(function* (
    { id }: SubmissionRecord,
    kind: "media" | "music_adoption",
    payload: DecisionBody,
    headers: { readonly "if-match"?: string }
  ) {
    const seen = yield* readSeenVersion(headers)
    const waiting = yield* (yield* Reviews).findLastOf("music_submission", id, kind)
    if (waiting === null)
      return yield* new ReviewConflict({ detail: `No decision of this kind is open on ${id}. Read the list again.` })
    const review = yield* decideReview(waiting.id, payload, seen)
    const now = yield* (yield* MusicSubmissions).findRecord(id)
    if (now === null) return yield* new NotFound({ detail: `The recording ${id} is gone.` })
    return yield* withVersion({ submission: submissionForOps(now, yield* StationFacts), review }, review.version)
  })
)

export const MusicSubmissionsForOpsHandlers = HttpApiBuilder.group(
  OpsApi,
  "musicSubmissionsForOps",
  Effect.fnUntraced(function* (handlers) {
    const submissions = yield* MusicSubmissions
    const decide = yield* makeDecide
    return handlers.handleAll({
      submissions: Effect.fnUntraced(function* ({ query }) {
        const page = yield* submissions.listRecords(query.status ?? null, limitOf(query), query.cursor ?? null)
        if (page === null) return yield* unknownCursor
        const facts = yield* StationFacts
        return {
          submissions: page.submissions.map((record) => submissionForOps(record, facts)),
          ...nextCursorOf(page.next)
        }
      }),
      decideSubmission: Effect.fnUntraced(function* ({ headers, params: { id }, payload }) {
        const found = yield* submissions.findRecord(id)
        if (found === null) return yield* new NotFound({ detail: `There is no recording ${id}.` })
        return yield* decide(found, "media", payload, headers)
      }),
      decideAdoption: Effect.fnUntraced(function* ({ headers, params: { id }, payload }) {
        const found = yield* submissions.findAdopted(id)
        if (found === null)
          return yield* new NotFound({ detail: `There is no adoption ${id}. It may have been returned to the board.` })
        return yield* decide(found, "music_adoption", payload, headers)
      })
    })
  })
)
