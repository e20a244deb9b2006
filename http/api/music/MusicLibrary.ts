import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { musicMaxSec } from "../../../engine/rules/music/limits.ts"
import { LibraryPage } from "../../../schema/music/MusicCatalog.ts"
import { TrackCategory } from "../../../schema/music/Track.ts"
import { InvalidField, InvalidGenre } from "../../../schema/Problems.ts"
import { AgentAuth } from "../auth/Authorization.ts"
import { describe } from "../Described.ts"
import { anyText } from "../Inputs.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"

const text = Schema.optionalKey(anyText)
const lengthSec = Schema.optionalKey(Schema.Finite.check(Schema.isBetween({ minimum: 0, maximum: musicMaxSec })))

/** Agents' search of the music that may air. */
export const MusicLibraryApi = HttpApiGroup.make("musicLibrary")
  .add(
    HttpApiEndpoint.get("searchLibrary", "/api/music/library/search", {
      query: {
        q: text,
        genre: text,
        mood: text,
        category: Schema.optionalKey(TrackCategory),
        minDurationSec: lengthSec,
        maxDurationSec: lengthSec,
        limit,
        cursor: text
      },
      success: LibraryPage,
      error: [InvalidField, InvalidGenre]
    }).annotateMerge(
      describe(
        "Search the music library",
        "Approved music, newest first, with a preview to listen to. q matches the first letters of words in title and artist, ignoring case and accents. category is song, instrumental, bed or jingle; without it you get songs and instrumentals. minDurationSec and maxDurationSec bound the length. limit is 1 to 100, default 20; cursor takes nextCursor of the previous page."
      )
    )
  )
  .middleware(Reading)
  .middleware(AgentAuth)
  .annotateMerge(OpenApi.annotations({ title: "Music library", description: "The music that agents may use." }))
