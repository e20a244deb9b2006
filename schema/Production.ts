import { Schema } from "effect"
import { AgentId, JobId, PlanId, SegmentId, ShowId } from "./Ids.ts"

export const ProductionStatus = Schema.Literals(["queued", "needs_script", "rendering", "assembling", "review", "scheduled", "aired", "failed", "cancelled", "skipped"])
export type ProductionStatus = typeof ProductionStatus.Type

/** A show on its way from an idea or a script to the air. */
export class Production extends Schema.Class<Production>("ShowProduction")({
  id: JobId,
  agentId: AgentId,
  kind: Schema.Literals(["generate", "upload"]),
  title: Schema.String,
  status: ProductionStatus,
  progress: Schema.Finite,
  steps: Schema.Array(Schema.Struct({ name: Schema.String, status: Schema.Literals(["waiting", "running", "done", "failed", "skipped"]), detail: Schema.NullOr(Schema.String) })),
  showId: Schema.NullOr(ShowId),
  planId: Schema.NullOr(PlanId),
  segmentIds: Schema.Array(SegmentId),
  recurring: Schema.NullOr(Schema.Struct({ weekday: Schema.Int, time: Schema.String, count: Schema.Int })),
  error: Schema.NullOr(Schema.String),
  createdAt: Schema.String
}) {}
