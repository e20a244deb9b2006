import { Effect, Schema } from "effect"
import { AssetId, ItemId } from "../Ids.ts"
import { CuePoints, WordTiming } from "../Sound.ts"
import { Synthetic } from "../Synthetic.ts"

/** Seconds and bytes never decide what is heard: samples of the broadcast do, counted from the epoch at 48 kHz. */
export const Sample = Schema.Int
export type Sample = number

export const ItemKind = Schema.Literals(["segment", "music", "station_id", "filler", "other"])
export type ItemKind = typeof ItemKind.Type

/** An asset lying on local disk as 48 kHz stereo s16le PCM, hash-checked, ready to be read by the mixer. */
export class StagedSound extends Schema.Class<StagedSound>("StagedSound")({
  assetId: AssetId,
  path: Schema.String,
  lengthSamples: Schema.Int,
  pcmSha256: Schema.String,
  cue: CuePoints,
  envelope: Schema.Uint8ArrayFromBase64,
  gainDb: Schema.Finite
}) {}

/** What the outputs say about an item while it is heard. */
export class ItemLabel extends Schema.Class<ItemLabel>("ItemLabel")({
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  kind: ItemKind,
  synthetic: Synthetic.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(null)),
    Schema.withConstructorDefault(Effect.succeed(null))
  )
}) {}

/**
 * One item as the mixer airs it. It begins at exactly `startSample` with its `cueIn` and is over at its `cueOut`,
 * unless the next one begins before: then it fades out under it (segue), or goes on under it as a bed.
 */
export class AirItem extends Schema.Class<AirItem>("AirItem")({
  itemId: ItemId,
  label: ItemLabel,
  sound: StagedSound,
  startSample: Sample,
  /** Silence before it that is meant: nothing is put into it. */
  pauseSamples: Schema.optionalKey(Schema.Int),
  /** True where a voice speaks: two such never overlap, and beds and intros duck under it. */
  speech: Schema.Boolean,
  bed: Schema.NullOr(StagedSound),
  /** What is said, for those who read along; the mixer has no use for it. */
  words: Schema.optionalKey(Schema.Array(WordTiming)),
  /** Why this airs now: the rules that chose it, in the order they were asked. */
  trace: Schema.Array(Schema.String)
}) {}

/**
 * All that airs from now on, in order. The scheduler is its one writer; `fence` is its incarnation, and a plan with
 * an older fence or revision than the one in force is refused.
 * `entry` says when: `boundary` leaves what is on air alone, `now` fades it out at the earliest sample and moves all
 * items by the same amount, so that the first begins there.
 */
export class AirPlan extends Schema.Class<AirPlan>("AirPlan")({
  fence: Schema.Int,
  revision: Schema.Int,
  entry: Schema.Literals(["boundary", "now"]),
  items: Schema.Array(AirItem)
}) {}

/** `shiftSamples` is what was added to each start (0 at a boundary); `renderedTo` the first sample not yet mixed. */
export class AirPlanApplied extends Schema.Class<AirPlanApplied>("AirPlanApplied")({
  revision: Schema.Int,
  shiftSamples: Schema.Int,
  renderedTo: Sample
}) {}

export class StalePlan extends Schema.TaggedError<StalePlan>()("StalePlan", {
  fence: Schema.Int,
  revision: Schema.Int
}) {}

/** What the mixer put on the bus besides the programme: for the as-run log. */
export class AirLayer extends Schema.Class<AirLayer>("AirLayer")({
  layer: Schema.Literals(["programme", "segue", "bed", "emergency", "tone"]),
  assetId: Schema.NullOr(AssetId),
  gainDb: Schema.Finite,
  firstSample: Sample,
  lastSample: Sample
}) {}

/**
 * What was heard of one sound of the broadcast, from its first sample to its last: of an item, of the fallback (emergency, tone), or
 * of nothing, where a pause was meant. Spans come in the order in which their sounds end, overlap where sounds do, and leave no
 * sample out: one of those that come later has it.
 */
export class AirSpan extends Schema.Class<AirSpan>("AirSpan")({
  itemId: Schema.NullOr(ItemId),
  label: ItemLabel,
  firstSample: Sample,
  lastSample: Sample,
  /** The item was heard to its own end: up to its cue-out, or faded out under what began at its segue; false when cut. */
  complete: Schema.Boolean,
  layers: Schema.Array(AirLayer),
  trace: Schema.Array(Schema.String),
  /** SHA-256 of the rendered f32le stereo PCM of this stretch, hex. */
  pcmSha256: Schema.String,
  /** Since when an item has been sounding that began before this one and goes on after it: its own span follows. */
  stillSoundingFromSample: Schema.optionalKey(Sample)
}) {}

/** Why an item was skipped when its sound is not to blame: it may air later. */
export const blamelessSkips = { late: "its start had passed when the plan came", emergency: "emergency" } as const

const Started = Schema.TaggedStruct("Started", {
  itemId: Schema.NullOr(ItemId),
  label: ItemLabel,
  atSample: Sample,
  endSample: Schema.NullOr(Sample)
})

/**
 * What the air chain tells, in the order in which it happens. An item of a plan either starts or is skipped, once; one that starts
 * and whose sound breaks off is skipped after that. What has started is over with its last span, which may come after others have
 * started. After `ChainRestarted`, what goes on has resumed or started again by the first `Started`.
 */
export const AirEvent = Schema.Union([
  Started,
  /** `goesOn`: not the sound's own end. It fell with a worker of the chain, or is so long that its rows are split. */
  Schema.TaggedStruct("Spanned", { span: AirSpan, goesOn: Schema.optionalKey(Schema.Boolean) }),
  /** A chain that took over goes on with it, under what it says has started. */
  Schema.TaggedStruct("Resumed", { itemId: ItemId, atSample: Sample }),
  Schema.TaggedStruct("Skipped", { itemId: ItemId, reason: Schema.String }),
  Schema.TaggedStruct("EncoderReplaced", { rendition: Schema.String, reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("EmergencyChanged", { on: Schema.Boolean, reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("Probed", {
    silent: Schema.Boolean,
    loudnessLufs: Schema.NullOr(Schema.Finite),
    checkedAtMs: Schema.Int
  }),
  Schema.TaggedStruct("ChainRestarted", { reason: Schema.String, atSample: Sample })
])
export type AirEvent = typeof AirEvent.Type

export const OutputId = Schema.Literals(["aac128", "aac64", "mp3"])
export type OutputId = typeof OutputId.Type

export class OutputHealth extends Schema.Class<OutputHealth>("OutputHealth")({
  id: OutputId,
  running: Schema.Boolean,
  bitrateKbps: Schema.Int,
  lastPartAtMs: Schema.NullOr(Schema.Int),
  lagMs: Schema.NullOr(Schema.Int),
  restarts: Schema.Int,
  startedAtMs: Schema.Int
}) {}

/** A photograph of the chain: cheap to read, never older than a tick. */
export class AirStatus extends Schema.Class<AirStatus>("AirStatus")({
  renderedTo: Sample,
  nowSample: Sample,
  nowMs: Schema.Int,
  driftMs: Schema.Finite,
  emergency: Schema.Boolean,
  /** What is mixed now, as it was told when it began; null before anything has. */
  onAir: Schema.NullOr(Started),
  /** Items that have begun and not ended: more than one where sounds overlap. */
  sounding: Schema.optionalKey(Schema.Array(ItemId)),
  /** Up to where an earlier process had sent when this one began; null where there was none. */
  sentBefore: Schema.optionalKey(Schema.NullOr(Sample)),
  outputs: Schema.Array(OutputHealth),
  probe: Schema.Struct({
    silent: Schema.Boolean,
    loudnessLufs: Schema.NullOr(Schema.Finite),
    checkedAtMs: Schema.NullOr(Schema.Int)
  })
}) {}
