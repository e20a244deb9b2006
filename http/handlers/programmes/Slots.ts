import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { catalogDefault } from "../../../engine/rules/programmes/limits.ts"
import { audiences, formats, genreLabel } from "../../../engine/rules/programmes/ShowCatalog.ts"
import { runKey, slotsOf } from "../../../engine/rules/programmes/Slot.ts"
import { MusicCatalog } from "../../../engine/store/music/MusicCatalog.ts"
import { Plans } from "../../../engine/store/programmes/Plans.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Genre } from "../../../schema/music/Track.ts"
import { Api } from "../../api/Api.ts"
import { unknownCursor } from "../Commands.ts"
import { checkStation } from "../../views/StationViews.ts"
import { weekSince } from "./Weeks.ts"

export const SlotsHandlers = HttpApiBuilder.group(
  Api,
  "slots",
  Effect.fnUntraced(function* (handlers) {
    const catalog = yield* MusicCatalog
    const plans = yield* Plans
    const { timeZone } = yield* StationFacts
    return handlers.handleAll({
      slots: Effect.fnUntraced(function* ({ query }) {
        yield* checkStation(query)
        const nowMs = yield* Clock.currentTimeMillis
        const week = yield* weekSince(nowMs)
        const bookable = [
          ...new Set(week.flatMap(({ blocks }) => blocks.flatMap(({ bookable, id }) => (bookable ? [id] : []))))
        ]
        const taken = new Set(
          (yield* plans.listTaken(bookable, nowMs)).map(({ blockId, startMs }) => runKey(blockId, startMs))
        )
        const all = slotsOf(week, timeZone, taken, nowMs)
        const from = query.cursor === undefined ? 0 : all.findIndex(({ blockId }) => blockId === query.cursor) + 1
        if (query.cursor !== undefined && from === 0) return yield* unknownCursor
        const rest = all.slice(from).filter(({ open }) => open || query.open === "false" || query.open === "0")
        const slots = rest.slice(0, query.limit ?? catalogDefault)
        return { slots, ...(rest.length > slots.length ? { nextCursor: slots.at(-1)!.blockId } : {}) }
      }),
      formats: () => Effect.succeed({ formats }),
      audiences: () => Effect.succeed({ audiences }),
      genres: () =>
        Effect.map(catalog.genres, ({ genres }) => {
          const counts = new Map(genres.map(({ count, id }) => [id, count]))
          return {
            genres: Genre.literals.map((id) => ({ id, label: genreLabel(id), trackCount: counts.get(id) ?? 0 }))
          }
        })
    })
  })
)
