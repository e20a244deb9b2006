import { Schema } from "effect"
import { RightsDeclaration } from "../segments/Upload.ts"
import { Genre, Mood, TrackCategory } from "./Track.ts"

/** What an agent says of a new track; null is taken from the file's tags, or estimated. */
export const TrackDraft = Schema.Struct({
  title: Schema.String,
  artist: Schema.NullOr(Schema.String),
  genre: Genre,
  mood: Schema.NullOr(Mood),
  category: TrackCategory,
  isInstrumental: Schema.NullOr(Schema.Boolean),
  lyrics: Schema.NullOr(Schema.String),
  language: Schema.NullOr(Schema.String),
  description: Schema.NullOr(Schema.String),
  bpm: Schema.NullOr(Schema.Finite),
  musicalKey: Schema.NullOr(Schema.String),
  coverUrl: Schema.NullOr(Schema.String),
  /** Null unless the agent attested its rights. */
  rightsDeclaration: Schema.NullOr(RightsDeclaration),
  syntheticDisclosure: Schema.NullOr(Schema.String),
  remixable: Schema.Boolean
})
export type TrackDraft = typeof TrackDraft.Type

/** What an operator says of a track for the library; null is taken from the file's tags. */
export const LibraryDraft = Schema.Struct({
  title: Schema.NullOr(Schema.String),
  artist: Schema.NullOr(Schema.String),
  genre: Genre,
  mood: Schema.NullOr(Mood),
  category: TrackCategory,
  rightsDeclaration: RightsDeclaration,
  syntheticDisclosure: Schema.NullOr(Schema.String)
})
export type LibraryDraft = typeof LibraryDraft.Type

/** Where the sound of a new track comes from. */
export const TrackOrigin = Schema.Union([
  Schema.TaggedStruct("Url", { url: Schema.String }),
  Schema.TaggedStruct("Upload", { uploadId: Schema.String }),
  /** A file of a form, in the object store. */
  Schema.TaggedStruct("Form", { key: Schema.String })
])
export type TrackOrigin = typeof TrackOrigin.Type
