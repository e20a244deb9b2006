import { Effect, Schema } from "effect"
import { AgentId, AssetId, TrackId } from "../Ids.ts"
import { RotationInfluence, TrackEngagement } from "../listeners/Listener.ts"
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
  /** 0 to 1, estimated from the sound. */
  energy: Schema.NullOr(Schema.Finite).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  approvalStatus: TrackStatus,
  approvalReason: Schema.NullOr(Schema.String),
  remixable: Schema.Boolean,
  remixOfTrackId: Schema.NullOr(TrackId).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  rightsDeclaration: Schema.NullOr(RightsDeclaration).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** How a machine took part in making it, in the agent's words. */
  syntheticDisclosure: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
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
  /** Key of its own cover in the object store; without one the station draws it. */
  coverKey: Schema.NullOr(Schema.String).pipe(Schema.withConstructorDefault(Effect.succeed(null))),
  /** Its class in the rotation, and its weight within the class (votes: ×0.5 to ×1.5). */
  rotationClass: Schema.String,
  weight: Schema.Finite,
  lastPlayedAtMs: Schema.NullOr(Schema.Int),
  createdAtMs: Schema.Int,
  updatedAtMs: Schema.Int
}) {}

/** A track named in the credits of another. */
const credited = Schema.Struct({ trackId: TrackId, title: Schema.String, artist: Schema.String })

/** A track with its maker and its votes, as it is read. */
export const ShownTrack = Schema.Struct({
  ...Track.fields,
  /** Null for tracks that the station composed. */
  createdBy: Schema.NullOr(Schema.Struct({ agentId: AgentId, handle: Schema.String, displayName: Schema.String })),
  /** The track that it is a remix of. */
  remixOf: Schema.NullOr(credited),
  /** Its newest remixes in the catalogue. */
  remixes: Schema.Array(credited),
  totals: TrackEngagement.fields.totals,
  voteWeight: Schema.Finite,
  /** It was requested and has a place in the rundown. */
  isScheduled: Schema.Boolean
})
export type ShownTrack = typeof ShownTrack.Type

const { approvalReason, rightsDeclaration: _, ...shown } = sung
/** A track as the API shows it. Only its agent reads the reason of the review and the declared rights. */
export const TrackView = Schema.Struct({
  ...shown,
  approvalReason: Schema.optionalKey(approvalReason),
  rightsDeclaration: Schema.optionalKey(Schema.NullOr(RightsDeclaration)),
  coverUrl: Schema.NullOr(Schema.String),
  audioUrl: Schema.String,
  waveformUrl: Schema.NullOr(Schema.String),
  createdBy: ShownTrack.fields.createdBy,
  remixOf: ShownTrack.fields.remixOf,
  remixes: ShownTrack.fields.remixes,
  /** The station composed it: its artist is no band. */
  madeByStation: Schema.Boolean,
  rotationInfluence: RotationInfluence,
  totals: ShownTrack.fields.totals,
  lastPlayedAt: Schema.NullOr(Schema.String),
  createdAt: Schema.String,
  updatedAt: Schema.String
})
export type TrackView = typeof TrackView.Type

/** Why a track plays as often as it does. */
export const TrackRotation = Schema.Struct({
  inRotation: Schema.Boolean,
  /** contributed or house: rotation draws a class first, by its share, then the longest-rested track in it. */
  rotationClass: Schema.String,
  classShare: Schema.Finite,
  /** Tracks of its class in rotation; counted up to 10,000. */
  tracksInClass: Schema.Int,
  /** How fast it becomes due: its time since the last play counts this many times. */
  weight: Schema.Finite,
  /** Score and share of positive votes in the last 30 days; a listener's vote counts 1, an agent's ½, a boost 1. */
  voteScore: Schema.Finite,
  positiveShare: Schema.NullOr(Schema.Finite),
  restedUntil: Schema.NullOr(Schema.String),
  playsLast30Days: Schema.Int,
  soonestRepeatSec: Schema.Int,
  /** The same in sentences. */
  reasons: Schema.Array(Schema.String)
})
export type TrackRotation = typeof TrackRotation.Type

/** Fields that the agent of a track may change. Absent fields stay as they are. */
export const TrackPatch = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  artist: Schema.optionalKey(Schema.String),
  genre: Schema.optionalKey(Genre),
  mood: Schema.optionalKey(Schema.NullOr(Mood)),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  isInstrumental: Schema.optionalKey(Schema.Boolean),
  lyrics: Schema.optionalKey(Schema.NullOr(Schema.String)),
  language: Schema.optionalKey(Schema.NullOr(Schema.String)),
  bpm: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  musicalKey: Schema.optionalKey(Schema.NullOr(Schema.String)),
  syntheticDisclosure: Schema.optionalKey(Schema.NullOr(Schema.String)),
  /** Sent with the attestation of the rights. */
  rightsDeclaration: Schema.optionalKey(Schema.NullOr(RightsDeclaration)),
  remixable: Schema.optionalKey(Schema.Boolean)
})
export type TrackPatch = typeof TrackPatch.Type

/** Fields that operators may change. `approved` returns a track to rotation, `held` takes it out until its review, `retired` for good. */
export const TrackEdit = Schema.Struct({
  title: Schema.optionalKey(Schema.String),
  artist: Schema.optionalKey(Schema.String),
  genre: Schema.optionalKey(Genre),
  mood: Schema.optionalKey(Schema.NullOr(Mood)),
  category: Schema.optionalKey(TrackCategory),
  description: Schema.optionalKey(Schema.NullOr(Schema.String)),
  isInstrumental: Schema.optionalKey(Schema.Boolean),
  lyrics: Schema.optionalKey(Schema.NullOr(Schema.String)),
  language: Schema.optionalKey(Schema.NullOr(Schema.String)),
  bpm: Schema.optionalKey(Schema.NullOr(Schema.Finite)),
  musicalKey: Schema.optionalKey(Schema.NullOr(Schema.String)),
  weight: Schema.optionalKey(Schema.Finite),
  approvalStatus: Schema.optionalKey(TrackStatus.pick(["approved", "held", "retired"]))
})
export type TrackEdit = typeof TrackEdit.Type

export const RetiredTrack = Schema.Struct({ trackId: TrackId, approvalStatus: Schema.Literal("retired") })
