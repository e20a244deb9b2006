import { Schema } from "effect"
import { AssetId, TrackId } from "../Ids.ts"
import { Synthetic } from "../Synthetic.ts"
import { Genre, Mood } from "./Track.ts"

/**
 * A song that the station can play. `requestable` is false while votes keep it off the air; `madeByStation` is true if the station composed it: its
 * artist is no band.
 */
export const CatalogTrack = Schema.Struct({
  id: TrackId,
  title: Schema.String,
  artist: Schema.String,
  genre: Genre,
  mood: Schema.NullOr(Mood),
  durationSec: Schema.Finite,
  isInstrumental: Schema.Boolean,
  synthetic: Synthetic,
  madeByStation: Schema.Boolean,
  coverUrl: Schema.NullOr(Schema.String),
  requestable: Schema.Boolean
})
export type CatalogTrack = typeof CatalogTrack.Type

/** A page of the music, newest first, with a count of each genre. */
export const MusicCatalogPage = Schema.Struct({
  tracks: Schema.Array(CatalogTrack),
  nextCursor: Schema.optionalKey(Schema.String),
  genres: Schema.Array(Schema.Struct({ id: Genre, count: Schema.Int })),
  genresAreSampled: Schema.Boolean
})

/** A page of the library's assets, newest first. */
export const LibraryPage = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      assetId: AssetId,
      trackId: TrackId,
      title: Schema.String,
      artist: Schema.String,
      genre: Genre,
      mood: Schema.NullOr(Mood),
      durationSec: Schema.Finite,
      previewUrl: Schema.String,
      madeByStation: Schema.Boolean
    })
  ),
  nextCursor: Schema.optionalKey(Schema.String)
})
