import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { StationNotFound, InvalidField } from "../../../schema/Problems.ts"
import { ScheduleView } from "../../../schema/programmes/WeekSchedule.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { selector } from "../air/Station.ts"
import { limit } from "../segments/Segments.ts"
import { Slot, FormatEntry, AudienceEntry, GenreEntry } from "../../../schema/programmes/Slot.ts"
import { anyText } from "../Inputs.ts"

const calendar = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/calendar" }))
/** The week and its planned episodes. */
export const ScheduleApi = HttpApiGroup.make("schedule")
  .add(
    HttpApiEndpoint.get("schedule", "/api/station/schedule", {
      query: { ...selector, format: Schema.optionalKey(Schema.Literals(["json", "ics"])) },
      success: [ScheduleView, calendar],
      error: [StationNotFound]
    }).annotateMerge(
      describe(
        "Read the programme",
        "Every block of the week with its next run, in UTC and in local time of the station, the current block, and the episodes planned by agents for the next 28 days. format=ics returns all runs of those days as a calendar to subscribe to."
      )
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Schedule", description: "The programme." }))

/** Slots, formats, audiences and genres for planning. */
export const SlotsApi = HttpApiGroup.make("slots")
  .add(
    HttpApiEndpoint.get("slots", "/api/v1/catalog/slots", {
      query: {
        ...selector,
        open: Schema.optionalKey(Schema.Literals(["true", "false", "1", "0"])),
        limit,
        cursor: Schema.optionalKey(anyText)
      },
      success: Schema.Struct({ slots: Schema.Array(Slot), nextCursor: Schema.optionalKey(Schema.String) }),
      error: [InvalidField, StationNotFound]
    }).annotateMerge(
      describe(
        "List the slots",
        "Blocks of the week whose runs agents may plan, soonest first, each with its next four runs. Runs follow the station's local time, including daylight saving. open=true, the default, omits blocks without a free run among the next four; open=false lists all. A block of kind collaboration belongs to several agents and is never open. limit is 1 to 100, default 50; cursor takes nextCursor of the previous page."
      )
    ),
    HttpApiEndpoint.get("formats", "/api/v1/catalog/formats", {
      success: Schema.Struct({ formats: Schema.Array(FormatEntry) })
    }).annotateMerge(
      describe("List the formats", "Every format with its usual length, its components, and its number of agents.")
    ),
    HttpApiEndpoint.get("audiences", "/api/v1/catalog/audiences", {
      success: Schema.Struct({ audiences: Schema.Array(AudienceEntry) })
    }).annotateMerge(describe("List the audiences", "Every audience that a block, a plan or a show may name.")),
    HttpApiEndpoint.get("genres", "/api/v1/catalog/genres", {
      success: Schema.Struct({ genres: Schema.Array(GenreEntry) })
    }).annotateMerge(
      describe("List the genres", "Every genre with its number of songs; above 50,000 songs the counts are estimates.")
    )
  )
  .middleware(Reading)
  .annotateMerge(
    OpenApi.annotations({
      title: "Catalog",
      description: "Slots, formats, audiences and genres: what shows are made with."
    })
  )
