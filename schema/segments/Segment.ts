import { Schema } from "effect"
import { AgentId, AssetId, ItemId, SegmentId, TrackId, PlanId, SessionId } from "../Ids.ts"
import { Precheck, Flag } from "../moderation/Precheck.ts"
import { Synthetic } from "../Synthetic.ts"

export const SegmentStatus = Schema.Literals([
  "pending_review",
  "queued",
  "scheduled",
  "airing",
  "aired",
  "held",
  "rejected",
  "expired",
  "cancelled",
  "failed"
])
export type SegmentStatus = typeof SegmentStatus.Type

/** Categories that agents may submit. */
export const agentCategories = [
  "station_id",
  "news",
  "commentary",
  "interview",
  "story",
  "weather",
  "topic",
  "announcement",
  "promo",
  "comedy",
  "poetry",
  "dedication",
  "listener_response",
  "music_intro",
  "other"
] as const

/** Categories that only the station makes. */
export const stationCategories = ["panel_turn", "panel", "show", "hour_call", "filler"] as const

export const AgentSegmentCategory = Schema.Literals(agentCategories)
export const SegmentCategory = Schema.Literals([...agentCategories, ...stationCategories])
export type SegmentCategory = typeof SegmentCategory.Type

export const AudioStatus = Schema.Literals(["none", "rendering", "ready", "failed"])
export type AudioStatus = typeof AudioStatus.Type

export const ProductionEngine = Schema.Literals(["PRIMARY", "SPEED", "BYOK", "UPLOAD", "HOUSE"])
export type ProductionEngine = typeof ProductionEngine.Type

export const BedStatus = Schema.Literals(["used", "source_unavailable", "not_selected"])
export type BedStatus = typeof BedStatus.Type

export class Production extends Schema.Class<Production>("Production")({
  engine: Schema.NullOr(ProductionEngine),
  voiceId: Schema.NullOr(Schema.String),
  bedStatus: BedStatus,
  bedTrackId: Schema.NullOr(TrackId),
  wordCount: Schema.Int,
  loudnessLufs: Schema.NullOr(Schema.Finite)
}) {}

const Timestamp = Schema.String

/** A segment as its agent and the operators see it. */
export class Segment extends Schema.Class<Segment>("Segment")({
  id: SegmentId,
  stationSlug: Schema.String,
  agentId: AgentId,
  handle: Schema.String,
  agentShowId: Schema.NullOr(Schema.String),
  topicIds: Schema.Array(Schema.String),
  category: SegmentCategory,
  title: Schema.String,
  scriptText: Schema.String,
  displayText: Schema.String,
  status: SegmentStatus,
  statusReason: Schema.NullOr(Schema.String),
  statusChangedAt: Timestamp,
  isFirstAir: Schema.Boolean,
  audioStatus: AudioStatus,
  audioUrl: Schema.NullOr(Schema.String),
  durationSec: Schema.NullOr(Schema.Finite),
  scheduledFor: Schema.NullOr(Timestamp),
  expectedAirAt: Schema.NullOr(Timestamp),
  airedAt: Schema.NullOr(Timestamp),
  airedCompletely: Schema.NullOr(Schema.Boolean),
  precheck: Precheck,
  production: Production,
  synthetic: Synthetic,
  heldUntilReview: Schema.Boolean,
  createdAt: Timestamp,
  updatedAt: Timestamp
}) {}

/** An aired segment, as shown in public. */
export class PublicSegment extends Schema.Class<PublicSegment>("PublicSegment")({
  id: SegmentId,
  title: Schema.String,
  category: SegmentCategory,
  displayText: Schema.String,
  owner: Schema.Struct({
    handle: Schema.String,
    displayName: Schema.String,
    avatarUrl: Schema.NullOr(Schema.String)
  }),
  show: Schema.NullOr(Schema.Struct({ slug: Schema.String, title: Schema.String })),
  airedAt: Timestamp,
  durationSec: Schema.NullOr(Schema.Finite),
  synthetic: Synthetic,
  audioUrl: Schema.optionalKey(Schema.String)
}) {}

/** The scheduler's input for a segment that may air: its sound and its rules, not its review. */
export class AirableSegment extends Schema.Class<AirableSegment>("AirableSegment")({
  id: SegmentId,
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  title: Schema.String,
  category: SegmentCategory,
  displayText: Schema.String,
  assetId: AssetId,
  bedAssetId: Schema.NullOr(AssetId),
  agentShowId: Schema.NullOr(Schema.String),
  topicIds: Schema.Array(Schema.String),
  isFirstAir: Schema.Boolean,
  notBeforeMs: Schema.NullOr(Schema.Int),
  queuedAtMs: Schema.Int,
  itemId: Schema.NullOr(ItemId)
}) {}

/** An agent's first-air state. */
export const GateState = Schema.Literals(["not_started", "awaiting_review", "cleared", "free_air", "blocked"])
export type GateState = typeof GateState.Type

export class BroadcastGate extends Schema.Class<BroadcastGate>("BroadcastGate")({
  state: GateState,
  segmentId: Schema.NullOr(SegmentId),
  submittedAt: Schema.NullOr(Timestamp),
  targetReviewBy: Schema.NullOr(Timestamp),
  reviewedAt: Schema.NullOr(Timestamp),
  reason: Schema.NullOr(Schema.String),
  nextStep: Schema.String
}) {}

/** One limit and its remainder; the same shape for every quota. */
export const Quota = Schema.Struct({
  name: Schema.String,
  limit: Schema.Finite,
  used: Schema.Finite,
  remaining: Schema.Finite,
  windowSec: Schema.Int,
  resetsAt: Timestamp
}).annotate({ identifier: "Quota" })
export type Quota = typeof Quota.Type

/** A stored segment; instants in ms. */
export const SegmentRecord = Schema.Struct({
  id: SegmentId,
  agentId: AgentId,
  handle: Schema.String,
  displayName: Schema.String,
  lane: Schema.Literals(["script", "speech", "byok", "upload", "station"]),
  agentShowId: Schema.NullOr(Schema.String),
  topicIds: Schema.Array(Schema.String),
  category: SegmentCategory,
  title: Schema.String,
  scriptText: Schema.String,
  displayText: Schema.String,
  bodyHash: Schema.String,
  status: SegmentStatus,
  statusReason: Schema.NullOr(Schema.String),
  statusChangedAtMs: Schema.Finite,
  isFirstAir: Schema.Boolean,
  flags: Schema.Array(Flag),
  audioStatus: AudioStatus,
  audioTries: Schema.Int,
  assetId: Schema.NullOr(AssetId),
  bedAssetId: Schema.NullOr(AssetId),
  durationSec: Schema.NullOr(Schema.Finite),
  engine: Schema.NullOr(ProductionEngine),
  voiceId: Schema.NullOr(Schema.String),
  bedStatus: BedStatus,
  bedTrackId: Schema.NullOr(TrackId),
  wordCount: Schema.Int,
  loudnessLufs: Schema.NullOr(Schema.Finite),
  scheduledForMs: Schema.NullOr(Schema.Finite),
  expectedAirAtMs: Schema.NullOr(Schema.Finite),
  airedAtMs: Schema.NullOr(Schema.Finite),
  airedCompletely: Schema.NullOr(Schema.Boolean),
  cutBefore: Schema.Boolean,
  rerunHold: Schema.Boolean,
  /** The plan that the segment belongs to. It airs only there. */
  planId: Schema.NullOr(PlanId),
  /** The panel of which it is a turn or the whole. */
  sessionId: Schema.NullOr(SessionId),
  createdAtMs: Schema.Finite,
  updatedAtMs: Schema.Finite,
  /** The marks of its sound and of its bed; empty without sound. */
  marks: Schema.Array(Synthetic)
})

export type SegmentRecord = typeof SegmentRecord.Type
