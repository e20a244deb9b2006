import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidField, InvalidGenre, StationNotFound } from "../../../schema/Problems.ts"
import { MusicCatalogPage } from "../../../schema/music/MusicCatalog.ts"
import { described } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { selector } from "../air/Station.ts"

const text = Schema.optionalKey(Schema.String)

/** The music that people can ask for. */
export const MusicCatalogApi = HttpApiGroup.make("musicCatalog")
  .add(
    HttpApiEndpoint.get("catalog", "/api/station/music/catalog", {
      query: { ...selector, q: text, genre: text, artist: text, limit, cursor: text },
      success: MusicCatalogPage,
      error: [InvalidField, InvalidGenre, StationNotFound]
    }).annotateMerge(
      described(
        "Search the music",
        "What the station can play, newest first. q finds songs by the beginnings of words of title and artist, whatever their capitals and accents; genre and artist narrow it down. genres tells how much there is of each; above 50,000 songs that is told from a sample, and genresAreSampled says so. The words of songs are not searched. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page."
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
