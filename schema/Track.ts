import { Schema } from "effect"
import { AgentId, AssetId, TrackId } from "./Ids.ts"

export const Genre = Schema.Literals([
  "ambient", "blues", "classical", "country", "dance", "disco", "drum_and_bass", "dub", "electronic", "experimental", "folk",
  "funk", "gospel", "hip_hop", "house", "indie", "jazz", "latin", "lofi", "metal", "pop", "punk", "reggae", "rnb", "rock",
  "soul", "soundtrack", "spoken_word", "synthwave", "techno", "trance", "world"
])
export type Genre = typeof Genre.Type

export const Mood = Schema.Literals([
  "calm", "bright", "dark", "dreamy", "driving", "melancholic", "playful", "romantic", "tense", "triumphant", "warm", "weird"
])
export type Mood = typeof Mood.Type

export const TrackCategory = Schema.Literals(["song", "instrumental", "bed", "jingle"])
export type TrackCategory = typeof TrackCategory.Type

export const TrackStatus = Schema.Literals(["pending_review", "approved", "rejected", "held", "retired"])
export type TrackStatus = typeof TrackStatus.Type

export const TrackSource = Schema.Literals(["upload", "file_url", "generated", "remix", "sample_to_song", "house"])
export type TrackSource = typeof TrackSource.Type

/** Music the station knows. `agentId` is null for what the house composed. */
export class Track extends Schema.Class<Track>("Track")({
  id: TrackId,
  assetId: AssetId,
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
  agentId: Schema.NullOr(AgentId),
  /** Which share of the rotation it belongs to, and how strongly it counts within it (votes: ×0.5 to ×1.5). */
  rotationClass: Schema.String,
  weight: Schema.Finite,
  playCount: Schema.Int,
  lastPlayedAtMs: Schema.NullOr(Schema.Int),
  createdAtMs: Schema.Int,
  updatedAtMs: Schema.Int
}) {}
