import { Schema } from "effect"
import { Broadcaster } from "../segments/Submission.ts"
import { AgentId, JobId, PlanId, SegmentId, ShowId, UploadId } from "../Ids.ts"
import { ShowAudience, ShowDraft, ShowFormat } from "./Show.ts"

export const ProductionStatus = Schema.Literals([
  "queued",
  "needs_script",
  "rendering",
  "assembling",
  "review",
  "scheduled",
  "aired",
  "failed",
  "cancelled",
  "skipped"
])
export type ProductionStatus = typeof ProductionStatus.Type

export const ProductionStepName = Schema.Literals(["script", "plan", "music", "review", "speech", "air"])
export type ProductionStepName = typeof ProductionStepName.Type

/** Weekly at the same local time of the station; weekday 0 is Sunday. */
export const Recurring = Schema.Struct({ weekday: Schema.Int, time: Schema.String, count: Schema.Int })
export type Recurring = typeof Recurring.Type

/** One spoken part; without a script it still has to be written. */
export const ProductionPart = Schema.Struct({
  title: Schema.String,
  minutes: Schema.NullOr(Schema.Finite),
  scriptText: Schema.NullOr(Schema.String)
})
export type ProductionPart = typeof ProductionPart.Type

/** The decoded and normalised request. `idea` is null if the agent sent the words. */
export class ProductionAsk extends Schema.Class<ProductionAsk>("ProductionAsk")({
  kind: Schema.Literals(["generate", "upload"]),
  title: Schema.String,
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  idea: Schema.NullOr(Schema.String),
  parts: Schema.Array(ProductionPart),
  uploadIds: Schema.Array(UploadId),
  includeMusic: Schema.Boolean,
  agentShowId: Schema.NullOr(ShowId),
  /** A show that begins with this episode. */
  show: Schema.NullOr(ShowDraft),
  occurrenceStartMs: Schema.NullOr(Schema.Finite),
  recurring: Schema.NullOr(Recurring)
}) {}

/** One run. `attempt` counts the plans made for it; a run with a requested time is never moved. */
export const ProductionRun = Schema.Struct({
  isFixed: Schema.Boolean,
  startMs: Schema.NullOr(Schema.Finite),
  endMs: Schema.NullOr(Schema.Finite),
  status: Schema.Literals(["waiting", "aired", "failed", "skipped", "cancelled"]),
  planId: Schema.NullOr(PlanId),
  attempt: Schema.Int,
  detail: Schema.NullOr(Schema.String)
})
export type ProductionRun = typeof ProductionRun.Type

/** The stored production: the request and its progress. */
export class ProductionRecord extends Schema.Class<ProductionRecord>("ProductionRecord")({
  id: JobId,
  agentId: AgentId,
  by: Broadcaster,
  kind: Schema.Literals(["generate", "upload"]),
  title: Schema.String,
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  idea: Schema.NullOr(Schema.String),
  uploadIds: Schema.Array(UploadId),
  includeMusic: Schema.Boolean,
  showId: Schema.NullOr(ShowId),
  recurring: Schema.NullOr(Recurring),
  /** Work is finished when all of these steps are done. */
  runs: Schema.Array(ProductionRun),
  /** The current step. */
  current: Schema.Int,
  status: ProductionStatus,
  /** The step at which it failed. */
  failedAt: Schema.NullOr(ProductionStepName),
  error: Schema.NullOr(Schema.String),
  parts: Schema.Array(ProductionPart),
  /** Number of spoken parts that are ready, and their total. */
  voiced: Schema.Int,
  voices: Schema.Int,
  segmentIds: Schema.Array(SegmentId),
  tries: Schema.Int,
  revision: Schema.Int,
  createdAtMs: Schema.Finite
}) {}

/** Change of a production: scripts of parts by index, and whether to add music. */
export const ProductionPatch = Schema.Struct({
  outline: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        index: Schema.Int,
        title: Schema.optionalKey(Schema.String),
        scriptText: Schema.optionalKey(Schema.String)
      })
    )
  ),
  includeMusic: Schema.optionalKey(Schema.Boolean)
})
export type ProductionPatch = typeof ProductionPatch.Type

/** A show on its way from an idea or a script to the air, as its agent sees it. */
export class Production extends Schema.Class<Production>("ShowProduction")({
  id: JobId,
  agentId: AgentId,
  kind: Schema.Literals(["generate", "upload"]),
  title: Schema.String,
  status: ProductionStatus,
  progress: Schema.Finite,
  steps: Schema.Array(
    Schema.Struct({
      name: ProductionStepName,
      status: Schema.Literals(["waiting", "running", "done", "failed", "skipped"]),
      detail: Schema.NullOr(Schema.String)
    })
  ),
  showId: Schema.NullOr(ShowId),
  planId: Schema.NullOr(PlanId),
  segmentIds: Schema.Array(SegmentId),
  recurring: Schema.NullOr(Recurring),
  /** The spoken parts; `words` is the number of words for its minutes. */
  outline: Schema.Array(
    Schema.Struct({
      index: Schema.Int,
      title: Schema.String,
      minutes: Schema.NullOr(Schema.Finite),
      words: Schema.NullOr(Schema.Int),
      scriptText: Schema.NullOr(Schema.String)
    })
  ),
  includeMusic: Schema.Boolean,
  /** When it airs: once or recurring. */
  occurrences: Schema.Array(
    Schema.Struct({
      occurrenceStart: Schema.NullOr(Schema.String),
      occurrenceEnd: Schema.NullOr(Schema.String),
      status: ProductionRun.fields.status,
      planId: Schema.NullOr(PlanId),
      detail: Schema.NullOr(Schema.String)
    })
  ),
  triesLeft: Schema.Int,
  error: Schema.NullOr(Schema.String),
  createdAt: Schema.String
}) {}
