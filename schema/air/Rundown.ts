import { Schema } from "effect"
import { ItemKind, Sample } from "./Air.ts"
import {
  AgentId,
  AnnouncementId,
  AssetId,
  ItemId,
  PlanId,
  SegmentId,
  ShowId,
  SongRequestId,
  TopicId,
  TrackId
} from "../Ids.ts"
import { CuePoints } from "../Sound.ts"

/** Role of an item in the hour. `bed` is instrumental music that carries the station when no song is available. */
export const ItemRole = Schema.Literals(["segment", "music", "ident", "hour_call", "filler", "bed"])
export type ItemRole = typeof ItemRole.Type

/** Everything the planner must know about a sound that could air, without the sound itself. */
export class Airable extends Schema.Class<Airable>("Airable")({
  role: ItemRole,
  assetId: AssetId,
  cue: CuePoints,
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  speech: Schema.Boolean,
  bedAssetId: Schema.NullOr(AssetId),
  segmentId: Schema.NullOr(SegmentId),
  trackId: Schema.NullOr(TrackId),
  agentId: Schema.NullOr(AgentId),
  topic: Schema.NullOr(Schema.String),
  genre: Schema.NullOr(Schema.String),
  /** Earliest and latest start. Checked again when the item is taken. */
  validFromMs: Schema.NullOr(Schema.Int),
  validUntilMs: Schema.NullOr(Schema.Int),
  /** It airs only in blocks of this show. */
  showId: Schema.optionalKey(ShowId),
  /** An announcement of the station, and the items between which it is true; null: anywhere. */
  announcement: Schema.optionalKey(
    Schema.Struct({ id: AnnouncementId, afterItemId: Schema.NullOr(ItemId), beforeItemId: Schema.NullOr(ItemId) })
  )
}) {}

/** When an item must begin: exactly, at the first boundary within a margin, before an instant, or in sequence. */
export const Placement = Schema.Union([
  Schema.TaggedStruct("Flow", {}),
  Schema.TaggedStruct("Hard", { atMs: Schema.Int }),
  Schema.TaggedStruct("Soft", { atMs: Schema.Int, maxLateMs: Schema.Int }),
  Schema.TaggedStruct("By", { beforeMs: Schema.Int })
])
export type Placement = typeof Placement.Type

export class RundownItem extends Schema.Class<RundownItem>("RundownItem")({
  id: ItemId,
  airable: Airable,
  placement: Placement,
  startSample: Sample,
  /** A locked item keeps its place when the rest is replanned. */
  locked: Schema.Boolean,
  /** Rules that placed it here, in order. */
  trace: Schema.Array(Schema.String),
  /** Listeners whose requests it fulfils, oldest first. */
  songRequestIds: Schema.optionalKey(Schema.Array(SongRequestId)),
  /** The part of a plan that it is; `free` if an operator moved it out of the plan's order. */
  plan: Schema.optionalKey(Schema.Struct({ planId: PlanId, itemId: ItemId, free: Schema.optionalKey(Schema.Boolean) })),
  /** The topic to which it contributes: it airs with the other contributions. */
  topicId: Schema.optionalKey(TopicId),
  /** Intended silence before it. */
  pauseSamples: Schema.optionalKey(Schema.Int),
  /** It had a place when all contributions were held, and gets it back when they are released. */
  parked: Schema.optionalKey(Schema.Boolean)
}) {}

/** The item on the air and the items after it. Only the scheduler writes it. */
export class Rundown extends Schema.Class<Rundown>("Rundown")({
  stationId: Schema.String,
  revision: Schema.Int,
  /** Number of picks so far; with the seed it determines the next one. */
  turn: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownItem),
  items: Schema.Array(RundownItem),
  /** Items that an operator holds off the air. */
  heldItems: Schema.optionalKey(Schema.Array(RundownItem)),
  /** Parts of plans that an operator removed or replaced, with the reason. */
  omitted: Schema.optionalKey(Schema.Array(Schema.Struct({ id: ItemId, planId: PlanId, why: Schema.String })))
}) {}

/** One past airing, for the separation rules. */
export class Play extends Schema.Class<Play>("Play")({
  atMs: Schema.Int,
  role: ItemRole,
  assetId: AssetId,
  artist: Schema.NullOr(Schema.String),
  agentId: Schema.NullOr(AgentId),
  topic: Schema.NullOr(Schema.String),
  /** True if a listener had requested it. */
  requested: Schema.optionalKey(Schema.Boolean)
}) {}

/** A music candidate with its weights; `lastPlayedMs` is null if it never aired. */
export class Candidate extends Schema.Class<Candidate>("Candidate")({
  airable: Airable,
  rotationClass: Schema.String,
  weight: Schema.Finite,
  lastPlayedMs: Schema.NullOr(Schema.Int)
}) {}

/** A line of the rundown as operators see it. */
export class RundownLine extends Schema.Class<RundownLine>("RundownLine")({
  id: ItemId,
  kind: ItemKind,
  role: ItemRole,
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  segmentId: Schema.NullOr(SegmentId),
  trackId: Schema.NullOr(TrackId),
  startSample: Sample,
  expectedAtMs: Schema.Int,
  durationMs: Schema.Int,
  placement: Placement,
  locked: Schema.Boolean,
  /** Held by an operator: it has no place until it is released. */
  held: Schema.Boolean,
  planId: Schema.NullOr(PlanId),
  trace: Schema.Array(Schema.String)
}) {}

/** A newer incarnation of the station writes now. The caller must stop. */
export class FenceLost extends Schema.TaggedError<FenceLost>()("FenceLost", { fence: Schema.Int }) {}
