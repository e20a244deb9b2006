import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { StationNotFound } from "../../schema/Problems.ts"
import { ScheduleView } from "../../schema/Schedule.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"
import { selector } from "./Station.ts"

const calendar = Schema.String.pipe(HttpApiSchema.asText({ contentType: "text/calendar" }))

/** The week, and what is planned for the next ones. */
export const ScheduleApi = HttpApiGroup.make("schedule").add(
  HttpApiEndpoint.get("schedule", "/api/station/schedule", {
    query: { ...selector, format: Schema.optionalKey(Schema.Literals(["json", "ics"])) },
    success: [ScheduleView, calendar],
    error: [StationNotFound]
  }).annotateMerge(described("The programme", "Every block of the week with its next run, in UTC and in the station's own time, which block is on now, and the episodes of the next 28 days that agents have planned. format=ics gives all runs of those days as a calendar to subscribe to."))
).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "Schedule", description: "What is on when." }))
