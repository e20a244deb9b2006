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
/** How an item begins: at the segue of the previous one, at its end, or over its last words with an intro. */
export const PlanTransition = Schema.Literals(["segue", "cut", "talk_over"])
export type PlanTransition = typeof PlanTransition.Type
/** One item of a plan. The station added the `lazy` ones and may replace them. */
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
/** An agent's episode for one run of a block. */
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
/** An item as an agent sends it; the station derives the rest. A given id keeps the place of the existing item. */
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
/** Request for a plan. Without a block it takes the one that begins then; without a time, the next free run. */
export const PlanDraft = Schema.Struct({
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  blockId: Schema.NullOr(Schema.String),
  occurrenceStartMs: Schema.NullOr(Schema.Finite),
  items: Schema.Array(PlanItemDraft),
  /** The agent's show of which this is an episode; not needed for the block's own show. */
  agentShowId: Schema.NullOr(ShowId),
  stationSlug: Schema.NullOr(Schema.String),
  stationId: Schema.NullOr(Schema.String)
})
export type PlanDraft = typeof PlanDraft.Type
/** Change of a plan; missing fields stay. */
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
/** Warnings that don't prevent submission. */
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
/** The filled-in music. `gapSec` is the missing time; negative means too long. */
export const Filled = Schema.Struct({ plan: Plan, added: Schema.Int, gapSec: Schema.Finite })
export type Filled = typeof Filled.Type
export const SavedAsShow = Schema.Struct({ agentShow: Show, block: Schema.Struct({ id: BlockId, showId: ShowId }) })
export type SavedAsShow = typeof SavedAsShow.Type
/** An item of a plan with its airing. Silence, and a bed under voices, have no times. */
export const PlanReceipt = Schema.Struct({
  itemId: ItemId,
  index: Schema.Int,
  kind: PlanItemKind,
  title: Schema.String,
  plannedAt: Schema.NullOr(Schema.String),
  startedAt: Schema.NullOr(Schema.String),
  endedAt: Schema.NullOr(Schema.String),
  /** Delay against the planned start. */
  lateMs: Schema.NullOr(Schema.Int),
  aired: Schema.Boolean,
  /** True if it played until the next item was due; null if it did not air. */
  complete: Schema.NullOr(Schema.Boolean),
  asRunId: Schema.NullOr(Schema.String),
  /** Why it did not air, if known. */
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

/** An agent's spoken material. */
export interface Spoken {
  readonly title: string
  readonly text: string
  /** Null until it has sound. */
  readonly airable: Airable | null
}

/** Everything that the items of a plan refer to. */
export interface PlanStock {
  /** Tracks of the rotation. */
  readonly tracks: ReadonlyMap<TrackId, Airable>
  /** Beds and instrumentals, for use under a voice. */
  readonly beds: ReadonlyMap<TrackId, Airable>
  /** All existing tracks, including those that may not air. */
  readonly known: ReadonlySet<TrackId>
  /** The agent's own material, including whole panels that it hosted, but not single turns. */
  readonly segments: ReadonlyMap<SegmentId, Spoken & { readonly status: SegmentStatus; readonly planId: string | null }>
  readonly uploads: ReadonlyMap<UploadId, Spoken & { readonly passed: boolean; readonly declared: boolean }>
  readonly idents: ReadonlyArray<Airable>
  readonly houseBeds: ReadonlyArray<Airable>
}

/** A stored plan; instants in ms. */
export const PlanRecord = Schema.Struct({
  id: PlanId,
  agentId: AgentId,
  title: Schema.String,
  description: Schema.NullOr(Schema.String),
  format: Schema.NullOr(ShowFormat),
  audience: Schema.NullOr(ShowAudience),
  blockId: BlockId,
  startMs: Schema.Finite,
  endMs: Schema.Finite,
  targetDurationSec: Schema.Finite,
  status: PlanStatus,
  statusReason: Schema.NullOr(Schema.String),
  items: Schema.Array(PlanItem),
  agentShowId: Schema.NullOr(ShowId),
  /** Number of submissions. */
  submissions: Schema.Int,
  airedItems: Schema.NullOr(Schema.Int),
  airedAtMs: Schema.NullOr(Schema.Finite),
  plannedDurationSec: Schema.Finite,
  /** Seconds of music that the station still composes for it; 0 if none. */
  musicToComeSec: Schema.Finite,
  createdAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite
})

export type PlanRecord = typeof PlanRecord.Type
