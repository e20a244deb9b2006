import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { listDefault } from "../../../engine/rules/segments/limits.ts"
import { audioUrl } from "../../../engine/rules/sound/MediaUrl.ts"
import { MusicCatalog } from "../../../engine/store/music/MusicCatalog.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { InvalidField } from "../../../schema/Problems.ts"
import { Api } from "../../api/Api.ts"
import { nextCursorOf, unknownCursor } from "../Commands.ts"
import { genreMeant, moodMeant } from "../../views/Genres.ts"
import { textOrNull } from "./MusicCatalog.ts"

const nothingBetween = new InvalidField({
  detail: "minDurationSec is greater than maxDurationSec. Send a range that something can lie in.",
  errors: [
    { pointer: "/query/minDurationSec", code: "INVALID_FIELD", detail: "must not be greater than maxDurationSec" }
  ]
})

export const MusicLibraryHandlers = HttpApiBuilder.group(
  Api,
  "musicLibrary",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* MusicCatalog
    const station = yield* StationFacts
    return handlers.handleAll({
      searchLibrary: Effect.fnUntraced(function* ({ query }) {
        const { maxDurationSec = null, minDurationSec = null } = query
        if (minDurationSec !== null && maxDurationSec !== null && minDurationSec > maxDurationSec)
          return yield* nothingBetween
        const page = yield* catalog.search({
          q: textOrNull(query.q),
          genre: yield* genreMeant(query.genre, "/query/genre"),
          mood: yield* moodMeant(query.mood, "/query/mood"),
          category: query.category ?? null,
          minDurationSec,
          maxDurationSec,
          limit: query.limit ?? listDefault,
          cursor: query.cursor ?? null
        })
        if (page === null) return yield* unknownCursor
        return {
          results: page.assets.map((asset) => ({ ...asset, previewUrl: audioUrl(asset.assetId, station)! })),
          ...nextCursorOf(page.next)
        }
      })
    })
  })
)
