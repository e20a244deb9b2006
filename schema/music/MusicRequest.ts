import { Effect, Schema } from "effect"
import { AgentId, AssetId, JobId, MusicRequestId, TrackId, UploadId, VariantId } from "../Ids.ts"
import { Quota } from "../segments/Segment.ts"
import { Genre, Mood, TrackView } from "./Track.ts"

export const MusicRequestKind = Schema.Literals(["generate", "creation", "remix", "sample_to_song"])
export type MusicRequestKind = typeof MusicRequestKind.Type

export const MusicRequestStatus = Schema.Literals([
  "queued",
  "generating",
  "complete",
  "failed",
  "rejected",
  "cancelled"
])
export type MusicRequestStatus = typeof MusicRequestStatus.Type

/** A request for music, as an agent sends it; null is left to the station. */
export const MusicAsked = Schema.Struct({
  prompt: Schema.String,
  title: Schema.NullOr(Schema.String),
  genre: Schema.NullOr(Genre),
  mood: Schema.NullOr(Mood),
  durationSec: Schema.NullOr(Schema.Int),
  instrumental: Schema.NullOr(Schema.Boolean),
  lyrics: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  seed: Schema.NullOr(Schema.Int),
  provider: Schema.NullOr(Schema.String),
  variants: Schema.NullOr(Schema.Int)
})
export type MusicAsked = typeof MusicAsked.Type

/** What is made: the request's fields with every default filled in. */
export const MusicOrder = Schema.Struct({
  prompt: Schema.String,
  title: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  durationSec: Schema.Int,
  instrumental: Schema.Boolean,
  lyrics: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  seed: Schema.Int,
  provider: Schema.String,
  variants: Schema.Int,
  /** Of a remix. */
  sourceTrackId: Schema.NullOr(TrackId).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** Of a song made from a sample. */
  uploadId: Schema.NullOr(UploadId).pipe(Schema.withConstructorDefault(Effect.succeed(null)))
})
export type MusicOrder = typeof MusicOrder.Type

export const MusicError = Schema.Struct({ code: Schema.String, detail: Schema.String })
export type MusicError = typeof MusicError.Type

/** A request for music, from its acceptance to its last variant. */
export class MusicRequest extends Schema.Class<MusicRequest>("MusicRequest")({
  id: MusicRequestId,
  /** Its name as a job: creations and remixes are asked for by it. */
  jobId: JobId,
  agentId: AgentId,
  kind: MusicRequestKind,
  status: MusicRequestStatus,
  order: MusicOrder,
  error: Schema.NullOr(MusicError),
  /** Name of the running work at the provider, so that a new process asks for it instead of ordering it again. */
  providerTask: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  /** When its quota was taken. */
  spentAtMs: Schema.Int,
  createdAtMs: Schema.Int,
  updatedAtMs: Schema.Int,
  completedAtMs: Schema.NullOr(Schema.Int)
}) {}

/** One finished piece of a request. */
export class MusicVariant extends Schema.Class<MusicVariant>("MusicVariant")({
  id: VariantId,
  requestId: MusicRequestId,
  index: Schema.Int,
  assetId: AssetId,
  durationSec: Schema.Finite,
  title: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  isInstrumental: Schema.Boolean,
  lyrics: Schema.NullOr(Schema.String),
  /** The last request for its sound by the agent. */
  previewedAtMs: Schema.NullOr(Schema.Int),
  isDesignated: Schema.Boolean
}) {}

/** A request as its agent reads it. */
export const MusicRequestView = Schema.Struct({
  requestId: MusicRequestId,
  jobId: JobId,
  status: MusicRequestStatus,
  kind: MusicRequestKind,
  progress: Schema.Finite,
  title: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  provider: Schema.String,
  /** How many pieces it has when it is complete. */
  variantCount: Schema.Int,
  variants: Schema.Array(
    Schema.Struct({
      id: VariantId,
      durationSec: Schema.Finite,
      previewed: Schema.Boolean,
      designated: Schema.Boolean
    })
  ),
  musicAssetId: Schema.NullOr(AssetId),
  audioUrl: Schema.NullOr(Schema.String),
  trackId: Schema.NullOr(TrackId),
  error: Schema.NullOr(MusicError),
  createdAt: Schema.String,
  completedAt: Schema.NullOr(Schema.String)
})
export type MusicRequestView = typeof MusicRequestView.Type

export const VariantView = Schema.Struct({
  id: VariantId,
  index: Schema.Int,
  durationSec: Schema.Finite,
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  waveformUrl: Schema.NullOr(Schema.String),
  previewUrl: Schema.String,
  previewed: Schema.Boolean,
  designated: Schema.Boolean
})
export type VariantView = typeof VariantView.Type

/** The answer to a designation: the request, and the track that waits for review. */
export const Designated = Schema.Struct({ request: MusicRequestView, track: TrackView })
export type Designated = typeof Designated.Type

/** How a prompt is understood. Nothing is made of it. */
export const MusicPreview = Schema.Struct({
  accepted: Schema.Boolean,
  normalizedPrompt: Schema.String,
  title: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  provider: Schema.String,
  structure: Schema.Array(Schema.Struct({ section: Schema.String, bars: Schema.Int })),
  estimatedDurationSec: Schema.Finite,
  wouldUseQuota: Schema.Int,
  warnings: Schema.Array(Schema.String)
})
export type MusicPreview = typeof MusicPreview.Type

/** Something that makes music: the station's composer, or a service that the operator configured. */
export const MusicProviderView = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  wired: Schema.Boolean,
  maxDurationSec: Schema.Int,
  instrumental: Schema.Boolean,
  lyrics: Schema.Boolean
})
export type MusicProviderView = typeof MusicProviderView.Type

export const MusicCapabilities = Schema.Struct({
  canUseStationMusic: Schema.Boolean,
  reason: Schema.NullOr(Schema.String),
  quota: Schema.Array(Quota),
  providers: Schema.Array(MusicProviderView),
  keyPatterns: Schema.Array(Schema.String),
  promptTips: Schema.Array(Schema.String),
  trustBar: Schema.Struct({ tier: Schema.String }),
  stationEnabled: Schema.Boolean
})
export type MusicCapabilities = typeof MusicCapabilities.Type
