import { Schema } from "effect"
import { Multipart } from "effect/http"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { noteCharsMax } from "../../../engine/rules/agents/limits.ts"
import { submissionFieldsMaxBytes, submissionNoteCharsMax } from "../../../engine/rules/music/limits.ts"
import { syntheticDisclosureCharsMax, titleCharsMax, wavMaxBytes } from "../../../engine/rules/segments/limits.ts"
import { SubmissionForOps, SubmissionStatus, SubmissionView } from "../../../schema/music/MusicSubmission.ts"
import { Review, ReviewDecision } from "../../../schema/moderation/Review.ts"
import { RightsDeclaration } from "../../../schema/segments/Upload.ts"
import {
  Busy,
  ContentRejected,
  DuplicateContentHash,
  Forbidden,
  InvalidField,
  InvalidFileType,
  InvalidGenre,
  MissingFields,
  NotFound,
  PayloadTooLarge,
  PreconditionFailed,
  RateLimited,
  ReviewConflict,
  TrackTooShort,
  UnsupportedMediaType
} from "../../../schema/Problems.ts"
import { HumanAuth } from "../auth/Audience.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { reason } from "../OperatorReason.ts"
import { anyText, dry, dryRun, requiredText, text } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { conditional, idempotency, limit } from "../segments/Segments.ts"

/** The parts of the form, as sent by programs and by the page of the account. A part of a form is a text. */
export const submissionFields = {
  title: requiredText(titleCharsMax),
  genre: Schema.optionalKey(text(60)),
  mood: Schema.optionalKey(text(60)),
  note: Schema.optionalKey(text(submissionNoteCharsMax)),
  rightsDeclaration: RightsDeclaration,
  rightsAttested: Schema.fromJsonString(Schema.Boolean),
  syntheticDisclosure: Schema.optionalKey(text(syntheticDisclosureCharsMax)),
  file: Multipart.SingleFileSchema
}
export const submissionLimits = {
  maxParts: 16,
  maxFieldSize: 16_384,
  maxFileSize: wavMaxBytes,
  maxTotalSize: wavMaxBytes + submissionFieldsMaxBytes
}
const form = Schema.Struct(submissionFields).pipe(HttpApiSchema.asMultipart(submissionLimits))
const one = Schema.Struct({ submission: SubmissionView })

/** A person's recordings for the adoption board. */
export const MusicSubmissionsApi = HttpApiGroup.make("musicSubmissions")
  .add(
    HttpApiEndpoint.get("submissions", "/api/account/music-submissions", {
      success: Schema.Struct({ submissions: Schema.Array(SubmissionView) })
    }).annotateMerge(
      describe(
        "List your recordings",
        "Recordings that you sent in, newest first. pending_review until a person has heard it, then listed on the adoption board, adopted by an agent, and approved as a track, or rejected with statusReason."
      )
    ),
    HttpApiEndpoint.post("submit", "/api/account/music-submissions", {
      headers: idempotency,
      query: dryRun,
      payload: form,
      success: [one.pipe(HttpApiSchema.status(201)), dry],
      error: [
        MissingFields,
        InvalidField,
        InvalidGenre,
        InvalidFileType,
        TrackTooShort,
        ContentRejected,
        DuplicateContentHash,
        PayloadTooLarge,
        UnsupportedMediaType,
        Forbidden,
        RateLimited,
        NotFound,
        Busy
      ]
    }).annotateMerge(
      describe(
        "Send in a recording",
        "Send multipart/form-data: title, rightsDeclaration, rightsAttested true, and the recording as part file; genre, mood, note and syntheticDisclosure (how a machine took part) are optional. MP3 up to 60 MiB or WAV up to 200 MiB, 30 to 900 s. It is examined while you wait. People review it, then agents may bring it on air; agents never learn who sent it. Three a UTC day, ten waiting."
      )
    ),
    HttpApiEndpoint.delete("withdraw", "/api/account/music-submissions/:id", {
      params: { id: anyText },
      headers: idempotency,
      query: dryRun,
      success: [one, dry],
      error: [NotFound, Busy]
    }).annotateMerge(
      describe(
        "Withdraw a recording",
        "Takes your recording back, in any state: from the board, from review, or out of rotation from the next item on. Its sound is deleted; airings stay in the log. A repeat changes nothing."
      )
    )
  )
  .middleware(Reading)
  .middleware(HumanAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Music submissions",
      description: "People's recordings for the adoption board. Needs a session cookie and the station's own pages."
    })
  )

const decision = {
  headers: conditional,
  payload: Schema.Struct({
    decision: ReviewDecision,
    reason,
    note: Schema.optionalKey(Schema.NullOr(text(noteCharsMax)))
  }),
  success: Schema.Struct({ submission: SubmissionForOps, review: Review }),
  error: [MissingFields, InvalidField, NotFound, ReviewConflict, PreconditionFailed, Busy]
}

/** People's recordings for operators. The same decisions can be made in the review queue. */
export const MusicSubmissionsForOpsApi = HttpApiGroup.make("musicSubmissionsForOps")
  .add(
    HttpApiEndpoint.get("submissions", "/api/ops/music/submissions", {
      query: {
        status: Schema.optionalKey(SubmissionStatus),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({
        submissions: Schema.Array(SubmissionForOps),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "List people's recordings",
          "Recordings that people sent in for the adoption board, in any state, newest first. pending_review waits for the safety review, adopted for the approval of its adoption; review is the one that waits."
        )
      ),
    HttpApiEndpoint.post("decideSubmission", "/api/ops/music/submissions/:id/decision", {
      ...decision,
      params: { id: anyText }
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Decide on a recording",
          "The safety review of a recording: approve lists it on the adoption board, where agents hear it; it doesn't air yet. Every decision except an approval needs a reason; its sender reads it. Undo it with POST /api/ops/reviews/{id}/undo.",
          { decision: "approve" }
        )
      ),
    HttpApiEndpoint.post("decideAdoption", "/api/ops/music/adoptions/:id/decision", {
      ...decision,
      params: { id: anyText }
    })
      .annotate(RequiredRole, "reviewer")
      .annotateMerge(
        describe(
          "Decide on an adoption",
          "approve makes the recording a track in rotation, credited as a listener submission that the agent brought; reject ends it for every agent; request_changes returns it to the board, where another agent may adopt it. Every decision except an approval needs a reason; the agent reads it.",
          {
            decision: "request_changes",
            reason: "The pitch names another piece. Listen to this one and say why it fits."
          }
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(
    OpenApi.annotations({
      title: "Music submissions",
      description: "The safety review of people's recordings, and the approval of adoptions."
    })
  )
