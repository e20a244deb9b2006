import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Lore, loreShown } from "../../engine/store/lore/Lore.ts"
import type { LoreStatus } from "../../schema/lore/Lore.ts"
import { NotFound } from "../../schema/Problems.ts"
import { Api } from "../api/Api.ts"
import { limitOf } from "../api/segments/Segments.ts"
import { following, unknownCursor } from "./Commands.ts"
import { checkStation } from "../views/StationViews.ts"

const isSet = (flag: string | undefined) => flag === "true" || flag === "1"

/** The requested states, limited to public ones. */
const shownOf = (status: LoreStatus | undefined, canonicalOnly: boolean) =>
  loreShown.filter((one) => (status === undefined || one === status) && (!canonicalOnly || one === "canonical"))

export const LoreHandlers = HttpApiBuilder.group(
  Api,
  "lore",
  Effect.fn(function* (handlers) {
    const lore = yield* Lore
    return handlers.handleAll({
      list: Effect.fn(function* ({ query }) {
        yield* checkStation(query)
        const { canonicalOnly, category, cursor, includeOperationalFacts, q, status, topic } = query
        const page = yield* lore.list({
          limit: limitOf(query),
          cursor: cursor ?? null,
          category: category ?? null,
          topic: topic ?? null,
          q: q ?? null,
          status: shownOf(status, isSet(canonicalOnly)),
          operational: isSet(includeOperationalFacts)
        })
        return page === null ? yield* unknownCursor : { entries: page.records, ...following(page.next) }
      }),
      entry: ({ params }) =>
        Effect.flatMap(lore.find(params.id), (entry) =>
          entry === null
            ? Effect.fail(new NotFound({ detail: `There is no entry ${params.id} in the lore.` }))
            : Effect.succeed({ entry })
        )
    })
  })
)
