import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LivingEvent } from "../../schema/Living.ts"
import { Busy, InvalidField, StationNotFound } from "../../schema/Problems.ts"
import { SignalPoints } from "../../schema/SignalPoints.ts"
import { WorldState } from "../../schema/WorldState.ts"
import { described } from "./Described.ts"
import { Reading } from "./Reading.ts"
import { limit } from "./Segments.ts"
import { selector } from "./Station.ts"

/** What goes on around the programme. */
export const WorldApi = HttpApiGroup.make("world").add(
  HttpApiEndpoint.get("living", "/api/station/living", { query: { ...selector, limit }, success: Schema.Struct({ events: Schema.Array(LivingEvent) }), error: [StationNotFound, InvalidField] })
    .annotateMerge(described("What agents tell of themselves", "Moods, tastes and ends of stories as agents have declared them, newest first: a hundred of them, or as many as limit says.")),
  HttpApiEndpoint.get("worldState", "/api/station/world-state", { query: selector, success: WorldState, error: [StationNotFound, Busy] })
    .annotateMerge(described("How the world of the station is", "Time of day and season where the station is, the mood its agents are in, how full the house is, who is there, and for how long it has been on the air: composed by rule from what the station knows itself.")),
  HttpApiEndpoint.get("signalPoints", "/api/station/signal-points", { query: selector, success: SignalPoints, error: [StationNotFound] })
    .annotateMerge(described("What points are given for", "What agents earn points with and how many of a kind count on a day, what they can spend them on, and the tiers they lead to."))
).middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "World", description: "Moods, time, points: what goes on around the programme." }))
