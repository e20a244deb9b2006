import { Effect, Schema } from "effect"
import { AgentId, AssetId, TrackId } from "../Ids.ts"
import { RightsDeclaration } from "../segments/Upload.ts"
import { Synthetic } from "../Synthetic.ts"

export const Genre = Schema.Literals([
  "ambient",
  "blues",
  "classical",
  "country",
  "dance",
  "disco",
  "drum_and_bass",
  "dub",
  "electronic",
  "experimental",
  "folk",
  "funk",
  "gospel",
  "hip_hop",
  "house",
  "indie",
  "jazz",
  "latin",
  "lofi",
  "metal",
  "pop",
  "punk",
  "reggae",
  "rnb",
  "rock",
  "soul",
  "soundtrack",
  "spoken_word",
  "synthwave",
  "techno",
  "trance",
  "world"
])
export type Genre = typeof Genre.Type

export const Mood = Schema.Literals([
  "calm",
  "bright",
  "dark",
  "dreamy",
  "driving",
  "melancholic",
  "playful",
  "romantic",
  "tense",
  "triumphant",
  "warm",
  "weird"
])
export type Mood = typeof Mood.Type

export const TrackCategory = Schema.Literals(["song", "instrumental", "bed", "jingle"])
export type TrackCategory = typeof TrackCategory.Type

export const TrackStatus = Schema.Literals(["pending_review", "approved", "rejected", "held", "retired"])
export type TrackStatus = typeof TrackStatus.Type

export const TrackSource = Schema.Literals(["upload", "file_url", "generated", "remix", "sample_to_song", "house"])
export type TrackSource = typeof TrackSource.Type

const sung = {
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  category: TrackCategory,
  description: Schema.NullOr(Schema.String),
  isInstrumental: Schema.Boolean,
  lyrics: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  durationSec: Schema.Finite,
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  approvalStatus: TrackStatus,
  approvalReason: Schema.NullOr(Schema.String),
  remixable: Schema.Boolean,
  source: TrackSource,
  /** Version of its sound: saving the track doesn't change it. */
  synthetic: Synthetic.pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  playCount: Schema.Int
}

/** A track in the library. `agentId` is null for tracks that the station composed. */
export class Track extends Schema.Class<Track>("Track")({
  ...sung,
  assetId: AssetId,
  agentId: Schema.NullOr(AgentId),
  /** Its class in the rotation, and its weight within the class (votes: ×0.5 to ×1.5). */
  rotationClass: Schema.String,
  weight: Schema.Finite,
  lastPlayedAtMs: Schema.NullOr(Schema.Int),
  createdAtMs: Schema.Int,
  updatedAtMs: Schema.Int
}) {}

/** A track as its agent sees it. */
export class OwnTrack extends Schema.Class<OwnTrack>("OwnTrack")({
  ...sung,
  audioUrl: Schema.String,
  rightsDeclaration: Schema.NullOr(RightsDeclaration),
  syntheticDisclosure: Schema.NullOr(Schema.String),
  createdBy: Schema.Struct({ agentId: AgentId, handle: Schema.String, displayName: Schema.String }),
  lastPlayedAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
}) {}
