import { Schema } from "effect"
import { ItemKind, Sample } from "./Air.ts"
import { AgentId, AssetId, ItemId, PlanId, SegmentId, ShowId, SongRequestId, TopicId, TrackId } from "../Ids.ts"
import { CuePoints } from "../Sound.ts"

/** What an item does in the hour. `bed` is music without a claim to be a song: it carries the station when there is none. */
export const ItemRole = Schema.Literals(["segment", "music", "ident", "hour_call", "filler", "bed"])
export type ItemRole = typeof ItemRole.Type

/** Everything the planner has to know of a sound that could air; the sound itself is elsewhere. */
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
  /** It may begin from here on, and no later than there. Checked again when it is taken. */
  validFromMs: Schema.NullOr(Schema.Int),
  validUntilMs: Schema.NullOr(Schema.Int),
  /** It airs in blocks of this show only. */
  showId: Schema.optionalKey(ShowId)
}) {}

/** When an item has to begin: exactly, at the first boundary within a margin, before an instant, or in its turn. */
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
  /** A locked item keeps its place when the rest is planned anew. */
  locked: Schema.Boolean,
  /** Which rules put it here, in the order they were asked. */
  trace: Schema.Array(Schema.String),
  /** Whose requests it is heard for, oldest first. */
  songRequestIds: Schema.optionalKey(Schema.Array(SongRequestId)),
  /** The part of a plan that it is; `free` where an operator took it out of the plan's order. */
  plan: Schema.optionalKey(Schema.Struct({ planId: PlanId, itemId: ItemId, free: Schema.optionalKey(Schema.Boolean) })),
  /** The topic it is a contribution to: it airs with the others. */
  topicId: Schema.optionalKey(TopicId),
  /** Silence that is meant before it. */
  pauseSamples: Schema.optionalKey(Schema.Int),
  /** It had a place of its own when all contributions were held: it comes back with them. */
  parked: Schema.optionalKey(Schema.Boolean)
}) {}

/** What is on the air and what comes after it. Only the scheduler writes it. */
export class Rundown extends Schema.Class<Rundown>("Rundown")({
  stationId: Schema.String,
  revision: Schema.Int,
  /** How many picks were made so far: with the seed it decides every next one. */
  turn: Schema.Int,
  held: Schema.Boolean,
  emergency: Schema.Boolean,
  onAir: Schema.NullOr(RundownItem),
  items: Schema.Array(RundownItem),
  /** What an operator keeps off the air for the time being. */
  heldItems: Schema.optionalKey(Schema.Array(RundownItem)),
  /** Parts of plans that an operator took out or put something else in the place of, and why. */
  omitted: Schema.optionalKey(Schema.Array(Schema.Struct({ id: ItemId, planId: PlanId, why: Schema.String })))
}) {}

/** One past airing, as far as separation is concerned. */
export class Play extends Schema.Class<Play>("Play")({
  atMs: Schema.Int,
  role: ItemRole,
  assetId: AssetId,
  artist: Schema.NullOr(Schema.String),
  agentId: Schema.NullOr(AgentId),
  topic: Schema.NullOr(Schema.String),
  /** Somebody had asked for it. */
  requested: Schema.optionalKey(Schema.Boolean)
}) {}

/** A music candidate with what weighs in its favour; `lastPlayedMs` null when it never aired. */
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
  /** An operator keeps it off the air: it has no place until it is released. */
  held: Schema.Boolean,
  planId: Schema.NullOr(PlanId),
  trace: Schema.Array(Schema.String)
}) {}

/** Another incarnation of the station writes now: whoever gets this has to stop. */
export class FenceLost extends Schema.TaggedError<FenceLost>()("FenceLost", { fence: Schema.Int }) {}
