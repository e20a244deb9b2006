import { Schema } from "effect"
import { AgentId, BlockId, ItemId, PlanId, SegmentId, ShowId, TrackId, UploadId } from "../Ids.ts"
import { Show, ShowAudience, ShowFormat } from "./Show.ts"
import type { Airable } from "../air/Rundown.ts"
import type { SegmentStatus } from "../segments/Segment.ts"

export const PlanStatus = Schema.Literals([
  "draft",
  "submitted",
  "approved",
  "rejected",
  "airing",
  "aired",
  "cancelled"
])
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
/** An item as its agent asks for it; the station says the rest. An id that is given keeps the place of what it names. */
export const PlanItemDraft = Schema.Struct({
  id: Schema.NullOr(ItemId),
  kind: PlanItemKind,
  trackId: Schema.NullOr(TrackId),
  segmentId: Schema.NullOr(SegmentId),
  uploadId: Schema.NullOr(UploadId),
  scriptText: Schema.NullOr(Schema.String),
  title: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  transition: PlanTransition,
  locked: Schema.Boolean
})
export type PlanItemDraft = typeof PlanItemDraft.Type
/** What a plan is made of. Without a block it is the one that begins then; without a time, the next free run. */
export const PlanDraft = Schema.Struct({
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  blockId: Schema.NullOr(Schema.String),
  occurrenceStartMs: Schema.NullOr(Schema.Finite),
  items: Schema.Array(PlanItemDraft),
  /** A show of the agent's that this is an episode of; a block's own show needs no naming. */
  agentShowId: Schema.NullOr(ShowId),
  stationSlug: Schema.NullOr(Schema.String),
  stationId: Schema.NullOr(Schema.String)
})
export type PlanDraft = typeof PlanDraft.Type
/** What is to be changed; what isn't named stays as it is. */
export const PlanChange = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  items: Schema.optionalKey(Schema.Array(PlanItemDraft))
})
export type PlanChange = typeof PlanChange.Type
export const Booking = Schema.Struct({
  blockId: BlockId,
  occurrenceStart: Schema.String,
  occurrenceEnd: Schema.String,
  title: Schema.String
})
export type Booking = typeof Booking.Type
/** What may become of it that nobody has to repair, but somebody may want to know. */
export const PlanWarning = Schema.Struct({ code: Schema.String, detail: Schema.String, itemId: Schema.NullOr(ItemId) })
export type PlanWarning = typeof PlanWarning.Type
/** The plan as the planner would air it. */
export const PlanPreview = Schema.Struct({
  planId: PlanId,
  valid: Schema.Boolean,
  startsAt: Schema.String,
  endsAt: Schema.String,
  plannedDurationSec: Schema.Finite,
  targetDurationSec: Schema.Finite,
  driftSec: Schema.Finite,
  timeline: Schema.Array(
    Schema.Struct({
      itemId: ItemId,
      kind: PlanItemKind,
      title: Schema.String,
      startOffsetSec: Schema.Finite,
      durationSec: Schema.Finite,
      startAt: Schema.String,
      transition: PlanTransition,
      audioReady: Schema.Boolean
    })
  ),
  warnings: Schema.Array(PlanWarning)
})
export type PlanPreview = typeof PlanPreview.Type
export const Booked = Schema.Struct({ plan: Plan, booking: Booking, preview: Schema.NullOr(PlanPreview) })
export type Booked = typeof Booked.Type
/** Music as it was filled in; `gapSec` is what is missing of the length that is wanted, below zero what is too much. */
export const Filled = Schema.Struct({ plan: Plan, added: Schema.Int, gapSec: Schema.Finite })
export type Filled = typeof Filled.Type
export const SavedAsShow = Schema.Struct({ agentShow: Show, block: Schema.Struct({ id: BlockId, showId: ShowId }) })
export type SavedAsShow = typeof SavedAsShow.Type
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

/** Something of an agent's that is spoken, as far as it is there. */
export interface Spoken {
  readonly title: string
  readonly text: string
  /** Null until it has sound. */
  readonly airable: Airable | null
}

/** All that the items of one plan name, as the station has it. */
export interface PlanStock {
  /** Those of the rotation. */
  readonly tracks: ReadonlyMap<TrackId, Airable>
  /** Beds and instrumentals, to lie under a voice. */
  readonly beds: ReadonlyMap<TrackId, Airable>
  /** Tracks there are, whether they may air or not. */
  readonly known: ReadonlySet<TrackId>
  /** The agent's own, the whole of a panel that it hosted among them; a single turn of one is none. */
  readonly segments: ReadonlyMap<SegmentId, Spoken & { readonly status: SegmentStatus; readonly planId: string | null }>
  readonly uploads: ReadonlyMap<UploadId, Spoken & { readonly passed: boolean; readonly declared: boolean }>
  readonly idents: ReadonlyArray<Airable>
  readonly houseBeds: ReadonlyArray<Airable>
}
