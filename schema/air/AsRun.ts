import { Effect, Schema } from "effect"
import { AirLayer, ItemKind, Sample } from "./Air.ts"
import { AgentId, AssetId, ItemId, SegmentId, SongRequestId, TrackId } from "../Ids.ts"
import { ItemRole } from "./Rundown.ts"

/**
 * How a sound of the broadcast ended: as planned, before its time, or not at all because nothing was sent.
 * `off_air` stands for samples the station can't account for: it was down.
 */
export const AsRunOutcome = Schema.Literals(["complete", "cut", "emergency", "off_air"])
export type AsRunOutcome = typeof AsRunOutcome.Type

/**
 * What is hashed and signed: everything the station says about one sound of its broadcast, from its first sample to its last. Rows
 * lie in the order in which sounds end, overlap where sounds do, and together have every sample.
 */
export class AsRunBody extends Schema.Class<AsRunBody>("AsRunBody")({
  seq: Schema.Int,
  stationId: Schema.String,
  fence: Schema.Int,
  itemId: Schema.NullOr(ItemId),
  kind: ItemKind,
  role: Schema.NullOr(ItemRole),
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  segmentId: Schema.NullOr(SegmentId),
  trackId: Schema.NullOr(TrackId),
  agentId: Schema.NullOr(AgentId),
  assetId: Schema.NullOr(AssetId),
  firstSample: Sample,
  lastSample: Sample,
  outcome: AsRunOutcome,
  layers: Schema.Array(AirLayer),
  trace: Schema.Array(Schema.String),
  pcmSha256: Schema.NullOr(Schema.String),
  /** Whose requests it was heard for. Rows of others, and of before there were any, don't have it. */
  songRequestIds: Schema.optionalKey(Schema.Array(SongRequestId)),
  /** Since when an item has been sounding that began before this stretch and went on after it: its own row follows. Other rows don't have it. */
  stillSoundingFromSample: Schema.optionalKey(Sample)
}) {}

/** A stretch as it is reported, before the log gives it its number. */
export type AsRunEntry = Omit<typeof AsRunBody.Encoded, "seq" | "stationId" | "fence" | "layers"> & {
  readonly layers: ReadonlyArray<AirLayer>
}

/** The end of the log. */
export interface AsRunHead {
  readonly seq: number
  readonly hash: string
  readonly lastSample: number | null
  /** While rows are read in order: from where the row of a sound is still to come. */
  readonly owedFromSample?: number
}

/** A row of the log: `text` is the canonical form of its body, `hash` covers it and the row before. */
export class AsRunRow extends Schema.Class<AsRunRow>("AsRunRow")({
  seq: Schema.Int,
  text: Schema.String,
  prevHash: Schema.String,
  hash: Schema.String,
  signature: Schema.String
}) {}

/** An airing as the public history shows it; names of agents are joined by whoever answers. */
export class Airing extends Schema.Class<Airing>("Airing")({
  asRunSeq: Schema.Int,
  itemId: ItemId,
  kind: ItemKind,
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  segmentId: Schema.NullOr(SegmentId),
  trackId: Schema.NullOr(TrackId),
  agentId: Schema.NullOr(AgentId),
  startedAtMs: Schema.Int,
  endedAtMs: Schema.Int,
  complete: Schema.Boolean,
  /** Its sound, and the bed that was heard under it. */
  assetIds: Schema.Array(AssetId).pipe(Schema.withConstructorDefault(Effect.succeed([])))
}) {}

/** One hour of the log in one figure: publish it, and no row of that hour can change unnoticed. */
export class AsRunRoot extends Schema.Class<AsRunRoot>("AsRunRoot")({
  hourMs: Schema.Int,
  firstSeq: Schema.Int,
  lastSeq: Schema.Int,
  root: Schema.String,
  signature: Schema.String
}) {}
