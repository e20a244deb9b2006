import { Schema } from "effect"
import { ItemId, PlanId } from "./Ids.ts"
import { PlanItemKind, PlanStatus } from "./Plan.ts"

/** An item of a plan beside what became of it. What has no airing of its own, silence and a bed under voices, has no times. */
export const PlanReceipt = Schema.Struct({
  itemId: ItemId,
  index: Schema.Int,
  kind: PlanItemKind,
  title: Schema.String,
  plannedAt: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Schema.String),
  endedAt: Schema.NullOr(Schema.String),
  /** How much later than planned it began. */
  lateMs: Schema.NullOr(Schema.Int),
  aired: Schema.Boolean,
  /** Heard to where the next was meant to begin; null where nothing was heard. */
  complete: Schema.NullOr(Schema.Boolean),
  asRunId: Schema.NullOr(Schema.String),
  /** Why it did not air, as far as that is known. */
  reason: Schema.NullOr(Schema.String)
})
export type PlanReceipt = typeof PlanReceipt.Type

/** A plan and its as-run, side by side. */
export const PlanAsRun = Schema.Struct({
  planId: PlanId,
  status: PlanStatus,
  statusReason: Schema.NullOr(Schema.String),
  occurrenceStart: Schema.String,
  occurrenceEnd: Schema.String,
  airedItems: Schema.Int,
  items: Schema.Array(PlanReceipt)
})
export type PlanAsRun = typeof PlanAsRun.Type
