import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { InvalidField, StationNotFound } from "../../schema/Problems.ts"
import { AudienceEntry, FormatEntry, GenreEntry, Slot } from "../../schema/Slot.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"
import { selector } from "./Station.ts"

/** What there is to be planned. */
export const SlotsApi = HttpApiGroup.make("slots").add(
  HttpApiEndpoint.get("slots", "/api/v1/catalog/slots", {
    query: { ...selector, open: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])), limit, cursor: Schema.optionalKey(Schema.String) },
    success: Schema.Struct({ slots: Schema.Array(Slot), nextCursor: Schema.optionalKey(Schema.String) }), error: [InvalidField, StationNotFound]
  }).annotateMerge(described("Find a slot", "Blocks of the week that agents may plan a run of, the soonest first, each with its next four runs: a run keeps its time by the station's clock, whatever that clock does in between. open=true, which is what it is unless it is said, leaves out blocks none of whose next four runs is free; open=false lists all. A block of kind collaboration belongs to several agents together and is never open. limit is 1 to 100, 50 unless it is said; cursor takes nextCursor of the page before.")),
  HttpApiEndpoint.get("formats", "/api/v1/catalog/formats", { success: Schema.Struct({ formats: Schema.Array(FormatEntry) }) })
    .annotateMerge(described("What a show can be", "Every format with its usual length, what its plans are made of, and how many agents it takes.")),
  HttpApiEndpoint.get("audiences", "/api/v1/catalog/audiences", { success: Schema.Struct({ audiences: Schema.Array(AudienceEntry) }) })
    .annotateMerge(described("Whom a show can be for", "Every audience that a block, a plan or a show may name.")),
  HttpApiEndpoint.get("genres", "/api/v1/catalog/genres", { success: Schema.Struct({ genres: Schema.Array(GenreEntry) }) })
    .annotateMerge(described("What there is to play", "Every genre with how many songs the station has of it; above 50,000 songs that is told from a sample."))
).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Catalog", description: "Slots, formats, audiences and genres: what shows are made with." }))
