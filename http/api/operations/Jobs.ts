import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Job, JobState } from "../../../schema/operations/Job.ts"
import { Busy, InvalidField, NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { described } from "../Described.ts"
import { bodyOrNone, idText, text } from "../Inputs.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const common = {
  params: { id: Schema.String },
  headers: idempotency,
  success: Schema.Struct({ job: Job }),
  error: [NotFound, SubjectConflict, Busy]
} as const

/** What the station does in the background. */
export const JobsApi = HttpApiGroup.make("jobs")
  .add(
    HttpApiEndpoint.get("jobs", "/api/ops/jobs", {
      query: {
        state: Schema.optionalKey(JobState),
        kind: Schema.optionalKey(text(60)),
        limit,
        cursor: Schema.optionalKey(idText)
      },
      success: Schema.Struct({
        counts: Schema.Struct({
          waiting: Schema.Int,
          running: Schema.Int,
          failed: Schema.Int,
          cancelled: Schema.Int,
          /** How long the job that is most overdue has waited for a worker. */
          lateSec: Schema.Int
        }),
        jobs: Schema.Array(Job),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      described(
        "List background work",
        "All that the station does without being asked for an answer: reading scripts aloud, examining recordings, delivering webhooks and mail, deadlines, clean-ups. Newest first, in pages; state and kind choose. What is done is not listed; what was given up or cancelled stays for 30 days."
      )
    ),
    HttpApiEndpoint.post("retryJob", "/api/ops/jobs/:id/retry", { ...common, payload: bodyOrNone({ reason }) })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        described(
          "Try a job again",
          "It is taken up at once, with all its tries before it. What has meanwhile been settled in another way is not done twice."
        )
      ),
    HttpApiEndpoint.post("cancelJob", "/api/ops/jobs/:id/cancel", {
      ...common,
      payload: Schema.Struct({ reason: neededReason })
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        described(
          "Cancel a job",
          "Ends it within seconds, also while it is being worked at, with what that means: an upload is refused, a segment stays without sound. Periodic work can't be cancelled."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Jobs", description: "Background work, its tries and its errors." }))
