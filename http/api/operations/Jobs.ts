import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { Job, JobState } from "../../../schema/operations/Job.ts"
import { Busy, InvalidField, NotFound, SubjectConflict } from "../../../schema/Problems.ts"
import { OperatorAuth, RequiredRole } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText, bodyOrNone, idText, text } from "../Inputs.ts"
import { neededReason, reason } from "../OperatorReason.ts"
import { Reading } from "../RequestErrors.ts"
import { idempotency, limit } from "../segments/Segments.ts"

const common = {
  params: { id: anyText },
  headers: idempotency,
  success: Schema.Struct({ job: Job }),
  error: [NotFound, SubjectConflict, Busy]
} as const

/** Background work of the station. */
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
          /** Waiting time of the most overdue job. */
          lateSec: Schema.Int
        }),
        jobs: Schema.Array(Job),
        nextCursor: Schema.optionalKey(Schema.String)
      }),
      error: [InvalidField]
    }).annotateMerge(
      describe(
        "List background work",
        "Background jobs: speech, checks of recordings, delivery of webhooks and mail, deadlines, clean-ups. Newest first, in pages; filter by state and kind. Finished jobs are not listed; failed and cancelled jobs are kept for 30 days."
      )
    ),
    HttpApiEndpoint.post("retryJob", "/api/ops/jobs/:id/retry", { ...common, payload: bodyOrNone({ reason }) })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Try a job again",
          "Retries the job at once and keeps its count of tries. Work that was already done another way is not repeated."
        )
      ),
    HttpApiEndpoint.post("cancelJob", "/api/ops/jobs/:id/cancel", {
      ...common,
      payload: Schema.Struct({ reason: neededReason })
    })
      .annotate(RequiredRole, "producer")
      .annotateMerge(
        describe(
          "Cancel a job",
          "Ends the job within seconds, even while it runs, and applies the consequence: an upload is refused, a segment stays without sound. Periodic jobs can't be cancelled."
        )
      )
  )
  .middleware(Reading)
  .middleware(OperatorAuth)
  .annotateMerge(OpenApi.annotations({ title: "Jobs", description: "Background work, its tries and its errors." }))
