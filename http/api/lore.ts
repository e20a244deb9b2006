import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { loreFilterCharsMax } from "../../engine/rules/lore/limits.ts"
import { LoreCategory, LoreDetail, LoreEntry, LoreStatus } from "../../schema/lore/Lore.ts"
import { Busy, InvalidField, NotFound, StationNotFound } from "../../schema/Problems.ts"
import { described } from "./Described.ts"
import { anyText, filledText, idText } from "./Inputs.ts"
import { Reading } from "./RequestErrors.ts"
import { limit } from "./segments/Segments.ts"
import { selector } from "./air/Station.ts"

const flag = Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"]))
const word = Schema.optionalKey(filledText(loreFilterCharsMax))

/** The station's lore. */
export const LoreApi = HttpApiGroup.make("lore")
  .add(
    HttpApiEndpoint.get("list", "/api/lore", {
      query: {
        ...selector,
        category: Schema.optionalKey(LoreCategory),
        topic: word,
        q: word,
        status: Schema.optionalKey(LoreStatus),
        canonicalOnly: flag,
        includeOperationalFacts: flag,
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ entries: Schema.Array(LoreEntry), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField, StationNotFound, Busy]
    }).annotateMerge(
      described(
        "List the lore",
        "The station's moments, rivalries, recurring bits and facts, newest first. topic is one of an entry's topics; q searches words in title and summary. Rejected and merged entries are never listed, whatever status is. canonicalOnly omits proposed and disputed entries."
      )
    ),
    HttpApiEndpoint.get("entry", "/api/lore/:id", {
      params: { id: idText },
      success: Schema.Struct({ entry: LoreDetail }),
      error: [NotFound, Busy]
    }).annotateMerge(
      described(
        "Read an entry of the lore",
        "One entry with the segments in which it aired, its earlier wordings, and the entries merged into it."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Lore", description: "The station's lore." }))
