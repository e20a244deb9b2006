import { Effect, Schema } from "effect"
import { AirLayer, ItemKind, Sample } from "./Air.ts"
import { AgentId, AssetId, ItemId, SegmentId, SongRequestId, TrackId } from "../Ids.ts"
import { ItemRole } from "./Rundown.ts"

/** How a sound ended: as planned, early, or not at all because nothing was sent. `off_air` covers samples while the station was down. */
export const AsRunOutcome = Schema.Literals(["complete", "cut", "emergency", "off_air"])
export type AsRunOutcome = typeof AsRunOutcome.Type

/**
 * The hashed and signed statement about one sound of the broadcast, from its first sample to its last. Rows are ordered
 * by the ends of sounds, overlap where sounds do, and together cover every sample.
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
  /** Listeners whose requests it fulfilled. Absent in other rows, and in rows older than song requests. */
  songRequestIds: Schema.optionalKey(Schema.Array(SongRequestId)),
  /** Start of an item that began before this row and continued after it; its own row follows. Absent in other rows. */
  stillSoundingFromSample: Schema.optionalKey(Sample)
}) {}

/** A reported span, before the log numbers it. */
export type AsRunEntry = Omit<typeof AsRunBody.Encoded, "seq" | "stationId" | "fence" | "layers"> & {
  readonly layers: ReadonlyArray<AirLayer>
}

/** The end of the log. */
export interface AsRunHead {
  readonly seq: number
  readonly hash: string
  readonly lastSample: number | null
  /** While reading rows in order: the sample from which a sound's row is still missing. */
  readonly owedFromSample?: number
}

/** A row of the log. `text` is the canonical form of its body; `hash` covers it and the previous row. */
export class AsRunRow extends Schema.Class<AsRunRow>("AsRunRow")({
  seq: Schema.Int,
  text: Schema.String,
  prevHash: Schema.String,
  hash: Schema.String,
  signature: Schema.String
}) {}

/** An airing as the public history shows it; the reader joins agents' names. */
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
  /** Its sound, and the bed under it. */
  assetIds: Schema.Array(AssetId).pipe(Schema.withConstructorDefault(Effect.succeed([])))
}) {}

/** Root hash of one hour of the log. Once published, no row of that hour can change unnoticed. */
export class AsRunRoot extends Schema.Class<AsRunRoot>("AsRunRoot")({
  hourMs: Schema.Int,
  firstSeq: Schema.Int,
  lastSeq: Schema.Int,
  root: Schema.String,
  signature: Schema.String
}) {}
