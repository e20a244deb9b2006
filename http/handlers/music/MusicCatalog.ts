import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { MusicCatalog } from "../../../engine/store/music/MusicCatalog.ts"
import { coverUrl } from "../../../engine/rules/sound/MediaUrl.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Api } from "../../api/Api.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"
import { genreMeant } from "../../views/Genres.ts"
import { checkStation } from "../../views/StationViews.ts"

export const textOrNull = (text: string | undefined): string | null =>
  text === undefined || text.trim() === "" ? null : text

export const MusicCatalogHandlers = HttpApiBuilder.group(
  Api,
  "musicCatalog",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* MusicCatalog
    const station = yield* StationFacts
    return handlers.handleAll({
      catalog: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const genre = yield* genreMeant(query.genre, "/query/genre")
        const [page, { genres, sampled }] = yield* Effect.all(
          [
            catalog.page({
              q: textOrNull(query.q),
              genre,
              artist: textOrNull(query.artist),
              limit: query.limit ?? catalogDefault,
              cursor: query.cursor ?? null,
              atMs: yield* Clock.currentTimeMillis
            }),
            catalog.genres
          ],
          { concurrency: "unbounded" }
        )
        if (page === null) return yield* unknownCursor
        return {
          tracks: page.tracks.map((track) => ({ ...track, coverUrl: coverUrl(track.id, station) })),
          ...nextCursorOf(page.next),
          genres,
          genresAreSampled: sampled
        }
      })
    })
  })
)
