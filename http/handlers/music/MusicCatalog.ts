import { Clock, Effect, Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { genresCountedMax } from "../../../engine/rules/music/limits.ts"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { MusicCatalog } from "../../../engine/store/music/MusicCatalog.ts"
import { notOneOf } from "../../../schema/Problem.ts"
import { InvalidGenre } from "../../../schema/Problems.ts"
import { Genre } from "../../../schema/music/Track.ts"
import { Api } from "../../api/Api.ts"
import { following, unknownCursor } from "../Commands.ts"
import { checkStation } from "../../views/StationViews.ts"

const isGenre = Schema.is(Genre)

/** Ignores case, spaces and hyphens. */
const genreOf = (text: string | undefined) => {
  if (text === undefined || text === "") return Effect.succeed(null)
  const id = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_")
  return isGenre(id)
    ? Effect.succeed(id)
    : Effect.fail(
        new InvalidGenre({
          detail: `There is no genre ${JSON.stringify(text.slice(0, 60))}. There are ${Genre.literals.join(", ")}.`,
          errors: [notOneOf("/query/genre", "INVALID_GENRE", Genre.literals)]
        })
      )
}

const said = (text: string | undefined): string | null => (text === undefined || text.trim() === "" ? null : text)

export const MusicCatalogHandlers = HttpApiBuilder.group(
  Api,
  "musicCatalog",
  Effect.fn(function* (handlers) {
    const catalog = yield* MusicCatalog
    return handlers.handleAll({
      catalog: Effect.fn("musicCatalog")(function* ({ query }) {
        yield* checkStation(query)
        const genre = yield* genreOf(query.genre)
        const page = yield* catalog.page({
          q: said(query.q),
          genre,
          artist: said(query.artist),
          limit: query.limit ?? catalogDefault,
          cursor: query.cursor ?? null,
          atMs: yield* Clock.currentTimeMillis
        })
        if (page === null) return yield* unknownCursor
        const { genres, sampled } = yield* catalog.genres(genresCountedMax)
        // Songs have no pictures yet.
        return {
          tracks: page.tracks.map((track) => ({ ...track, coverUrl: null })),
          ...following(page.next),
          genres,
          genresAreSampled: sampled
        }
      })
    })
  })
)
