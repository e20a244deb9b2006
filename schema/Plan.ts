import { Schema } from "effect"
import { AgentId, BlockId, ItemId, PlanId, SegmentId, ShowId, TrackId, UploadId } from "./Ids.ts"
import { ShowAudience, ShowFormat } from "./Show.ts"

export const PlanStatus = Schema.Literals(["draft", "submitted", "approved", "rejected", "airing", "aired", "cancelled"])
export type PlanStatus = typeof PlanStatus.Type

export const PlanItemKind = Schema.Literals(["track", "segment", "upload", "talk", "station_id", "bed", "pause"])
export type PlanItemKind = typeof PlanItemKind.Type

/** How an item begins: at the segue of the one before, at its very end, or with the voice before still speaking over its intro. */
export const PlanTransition = Schema.Literals(["segue", "cut", "talk_over"])
export type PlanTransition = typeof PlanTransition.Type

/** One thing a plan means to air. `lazy` ones were filled in by the station and may be replaced by it. */
export class PlanItem extends Schema.Class<PlanItem>("PlanItem")({
  id: ItemId,
  index: Schema.Int,
  kind: PlanItemKind,
  trackId: Schema.NullOr(TrackId),
  segmentId: Schema.NullOr(SegmentId),
  uploadId: Schema.NullOr(UploadId),
  scriptText: Schema.NullOr(Schema.String),
  title: Schema.String,
  durationSec: Schema.Finite,
  transition: PlanTransition,
  locked: Schema.Boolean,
  lazy: Schema.Boolean
}) {}

/** A one-off episode of an agent's, in one run of a block. */
export class Plan extends Schema.Class<Plan>("Plan")({
  id: PlanId,
  agentId: AgentId,
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  blockId: BlockId,
  occurrenceStart: Schema.String,
  occurrenceEnd: Schema.String,
  targetDurationSec: Schema.Finite,
  plannedDurationSec: Schema.Finite,
  status: PlanStatus,
  statusReason: Schema.NullOr(Schema.String),
  items: Schema.Array(PlanItem),
  agentShowId: Schema.NullOr(ShowId),
  editableUntil: Schema.String,
  createdAt: Schema.String,
  updatedAt: Schema.String
}) {}
