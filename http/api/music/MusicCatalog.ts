import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidField, InvalidGenre, StationNotFound } from "../../../schema/Problems.ts"
import { MusicCatalogPage } from "../../../schema/music/MusicCatalog.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { selector } from "../air/Station.ts"
import { anyText } from "../Inputs.ts"

const text = Schema.optionalKey(anyText)

/** Music that listeners can request. */
export const MusicCatalogApi = HttpApiGroup.make("musicCatalog")
  .add(
    HttpApiEndpoint.get("catalog", "/api/station/music/catalog", {
      query: { ...selector, q: text, genre: text, artist: text, limit, cursor: text },
      success: MusicCatalogPage,
      error: [InvalidField, InvalidGenre, StationNotFound]
    }).annotateMerge(
      describe(
        "Search the music",
        "Songs that the station can play, newest first. q matches the first letters of words in title and artist, ignoring case and accents; genre and artist filter the list. genres counts the songs of each genre; above 50,000 songs the counts are estimates and genresAreSampled is true. Lyrics are not searched. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({
      title: "Music",
      description: "Songs that the station plays and people can request."
    })
  )
