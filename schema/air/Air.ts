import { Effect, Schema } from "effect"
import { AssetId, ItemId } from "../Ids.ts"
import { CuePoints, WordTiming } from "../Sound.ts"
import { Synthetic } from "../Synthetic.ts"

/** Playback is decided by samples of the broadcast, counted from the epoch at 48 kHz, never by seconds or bytes. */
export const Sample = Schema.Int
export type Sample = number

export const ItemKind = Schema.Literals(["segment", "music", "station_id", "filler", "other"])
export type ItemKind = typeof ItemKind.Type

/** An asset on local disk as 48 kHz stereo s16le PCM, with its hash checked, ready for the mixer. */
export class StagedSound extends Schema.Class<StagedSound>("StagedSound")({
  assetId: AssetId,
  path: Schema.String,
  lengthSamples: Schema.Int,
  pcmSha256: Schema.String,
  cue: CuePoints,
  envelope: Schema.Uint8ArrayFromBase64,
  gainDb: Schema.Finite
}) {}

/** Metadata of an item in the outputs. */
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
 * One item for the mixer. It begins at exactly `startSample` with its `cueIn` and ends at its `cueOut`. If the next one
 * begins earlier, it fades out under it (segue) or continues under it as a bed.
 */
export class AirItem extends Schema.Class<AirItem>("AirItem")({
  itemId: ItemId,
  label: ItemLabel,
  sound: StagedSound,
  startSample: Sample,
  /** Intended silence before the item: nothing may fill it. */
  pauseSamples: Schema.optionalKey(Schema.Int),
  /** True if a voice speaks: two voices never overlap, and beds and intros duck under them. */
  speech: Schema.Boolean,
  bed: Schema.NullOr(StagedSound),
  /** The spoken text, for captions; the mixer ignores it. */
  words: Schema.optionalKey(Schema.Array(WordTiming)),
  /** Why this airs now: the rules that chose it, in order. */
  trace: Schema.Array(Schema.String)
}) {}

/**
 * Everything that airs from now on, in order. The scheduler is its only writer; `fence` is its incarnation. A plan with
 * an older fence or revision is refused. `entry` is the moment: `boundary` leaves the item on the air alone, `now`
 * fades it out at the earliest sample and moves all items by the same amount.
 */
export class AirPlan extends Schema.Class<AirPlan>("AirPlan")({
  fence: Schema.Int,
  revision: Schema.Int,
  entry: Schema.Literals(["boundary", "now"]),
  items: Schema.Array(AirItem)
}) {}

/** `shiftSamples` was added to each start (0 at a boundary); `renderedTo` is the first sample not yet mixed. */
export class AirPlanApplied extends Schema.Class<AirPlanApplied>("AirPlanApplied")({
  revision: Schema.Int,
  shiftSamples: Schema.Int,
  renderedTo: Sample
}) {}

export class StalePlan extends Schema.TaggedError<StalePlan>()("StalePlan", {
  fence: Schema.Int,
  revision: Schema.Int
}) {}

/** Sound on the bus that is not in the plan, for the as-run log. */
export class AirLayer extends Schema.Class<AirLayer>("AirLayer")({
  layer: Schema.Literals(["programme", "segue", "bed", "emergency", "tone", "live"]),
  assetId: Schema.NullOr(AssetId),
  gainDb: Schema.Finite,
  firstSample: Sample,
  lastSample: Sample
}) {}

/**
 * The aired stretch of one sound, from its first sample to its last: of an item, of the fallback (emergency, tone), or of an intended pause. Spans
 * are ordered by their ends, overlap where sounds do, and together cover every sample.
 */
export class AirSpan extends Schema.Class<AirSpan>("AirSpan")({
  itemId: Schema.NullOr(ItemId),
  label: ItemLabel,
  firstSample: Sample,
  lastSample: Sample,
  /** True if the item ended as planned: at its cue-out, or faded under an item that began at its segue. False if it was cut. */
  complete: Schema.Boolean,
  layers: Schema.Array(AirLayer),
  trace: Schema.Array(Schema.String),
  /** SHA-256 of the rendered f32le stereo PCM of this stretch, hex. */
  pcmSha256: Schema.String,
  /** Start of an item that began before this span and continues after it; its own span follows. */
  stillSoundingFromSample: Schema.optionalKey(Sample)
}) {}

/** Why an item was skipped through no fault of its sound: it may air later. */
export const blamelessSkips = { late: "its start had passed before the plan arrived", emergency: "emergency" } as const

export const Started = Schema.TaggedStruct("Started", {
  itemId: Schema.NullOr(ItemId),
  label: ItemLabel,
  atSample: Sample,
  endSample: Schema.NullOr(Sample)
})

/**
 * Reports of the air chain, in order. An item of a plan either starts or is skipped, once; if its sound breaks off
 * after the start, it is then skipped. A started item ends with its last span, which may come after others have
 * started. After `ChainRestarted`, playback has resumed or restarted with the first `Started`.
 */
export const AirEvent = Schema.Union([
  Started,
  /** `goesOn`: the sound has not ended. The worker failed, or the item is long and its rows are split. */
  Schema.TaggedStruct("Spanned", { span: AirSpan, goesOn: Schema.optionalKey(Schema.Boolean) }),
  /** A restarted chain continues this item from its recorded start. */
  Schema.TaggedStruct("Resumed", { itemId: ItemId, atSample: Sample }),
  Schema.TaggedStruct("Skipped", { itemId: ItemId, reason: Schema.String }),
  Schema.TaggedStruct("EncoderReplaced", { rendition: Schema.String, reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("EmergencyChanged", { on: Schema.Boolean, reason: Schema.String, atSample: Sample }),
  /** Live sound carries the programme, or does no longer. */
  Schema.TaggedStruct("LiveChanged", { on: Schema.Boolean, reason: Schema.String, atSample: Sample }),
  Schema.TaggedStruct("Probed", {
    silent: Schema.Boolean,
    loudnessLufs: Schema.NullOr(Schema.Finite),
    checkedAtMs: Schema.Int,
    /** It ordered the emergency programme in vain and has stopped. */
    gaveUp: Schema.optionalKey(Schema.Boolean)
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

/** Snapshot of the chain: cheap to read, never older than a tick. */
export class AirStatus extends Schema.Class<AirStatus>("AirStatus")({
  renderedTo: Sample,
  nowSample: Sample,
  nowMs: Schema.Int,
  driftMs: Schema.Finite,
  emergency: Schema.Boolean,
  /** Live sound carries the programme: planned items wait. */
  live: Schema.optionalKey(Schema.Boolean),
  /** The item being mixed, as announced at its start; null before the first. */
  onAir: Schema.NullOr(Started),
  /** Items that have begun and not ended; several where sounds overlap. */
  sounding: Schema.optionalKey(Schema.Array(ItemId)),
  /** Sample up to which an earlier process had sent; null if there was none. */
  sentBefore: Schema.optionalKey(Schema.NullOr(Sample)),
  /** First sample that this process rendered as a standby before it took the air; null if it was none. */
  followedFrom: Schema.optionalKey(Schema.NullOr(Sample)),
  /** A standby, or an owner that has just taken the air and renders what is missing until now. */
  catchesUp: Schema.optionalKey(Schema.Boolean),
  outputs: Schema.Array(OutputHealth),
  probe: Schema.Struct({
    silent: Schema.Boolean,
    loudnessLufs: Schema.NullOr(Schema.Finite),
    checkedAtMs: Schema.NullOr(Schema.Int),
    gaveUp: Schema.optionalKey(Schema.Boolean)
  })
}) {}
