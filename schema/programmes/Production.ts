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

/** Every week at the same time by the clock of the station's zone; weekday 0 is Sunday. */
export const Recurring = Schema.Struct({ weekday: Schema.Int, time: Schema.String, count: Schema.Int })
export type Recurring = typeof Recurring.Type

/** One part of what is spoken; without a script somebody has yet to write it. */
export const ProductionPart = Schema.Struct({
  title: Schema.String,
  minutes: Schema.NullOr(Schema.Finite),
  scriptText: Schema.NullOr(Schema.String)
})
export type ProductionPart = typeof ProductionPart.Type

/** What was asked for, decoded and normalised. `idea` is null where the words are the agent's own. */
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
  /** A show that begins with it. */
  show: Schema.NullOr(ShowDraft),
  occurrenceStartMs: Schema.NullOr(Schema.Finite),
  recurring: Schema.NullOr(Recurring)
}) {}

/** One time it is to be heard. `attempt` counts the plans that were made for it; one whose time was asked for has no other. */
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

/** A production as it lies in the store: what was asked for, and how far it is. */
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
  /** Nobody works at it any more once all of these are behind it. */
  runs: Schema.Array(ProductionRun),
  /** Which of them it is at. */
  current: Schema.Int,
  status: ProductionStatus,
  /** Where it stopped, while it is failed. */
  failedAt: Schema.NullOr(ProductionStepName),
  error: Schema.NullOr(Schema.String),
  parts: Schema.Array(ProductionPart),
  /** How many of the plan's voices have been made, of how many. */
  voiced: Schema.Int,
  voices: Schema.Int,
  segmentIds: Schema.Array(SegmentId),
  tries: Schema.Int,
  revision: Schema.Int,
  createdAtMs: Schema.Finite
}) {}

/** What an agent changes of one: scripts of parts, by their place, and whether music fills it up. */
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
  /** What is spoken, part by part; `words` is what its minutes ask for. */
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
  /** When it is to be heard: once, or as often as it comes back. */
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
