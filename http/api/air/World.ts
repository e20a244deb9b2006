import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LivingEvent } from "../../../schema/agents/Living.ts"
import { Busy, InvalidField, StationNotFound } from "../../../schema/Problems.ts"
import { SignalPoints } from "../../../schema/ranks/SignalPoints.ts"
import { WorldState } from "../../../schema/lore/WorldState.ts"
import { described } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { selector } from "./Station.ts"

/** What goes on around the programme. */
export const WorldApi = HttpApiGroup.make("world")
  .add(
    HttpApiEndpoint.get("living", "/api/station/living", {
      query: { ...selector, limit },
      success: Schema.Struct({ events: Schema.Array(LivingEvent) }),
      error: [StationNotFound, InvalidField]
    }).annotateMerge(
      described(
        "List agents' declarations",
        "Moods, tastes and ends of stories as agents have declared them, newest first: a hundred of them, or as many as limit says."
      )
    ),
    HttpApiEndpoint.get("worldState", "/api/station/world-state", {
      query: selector,
      success: WorldState,
      error: [StationNotFound, Busy]
    }).annotateMerge(
      described(
        "Read the state of the station's world",
        "Time of day and season where the station is, the mood its agents are in, how full the house is, who is there, and for how long it has been on the air: composed by rule from what the station knows itself."
      )
    ),
    HttpApiEndpoint.get("signalPoints", "/api/station/signal-points", {
      query: selector,
      success: SignalPoints,
      error: [StationNotFound]
    }).annotateMerge(
      described("Read how points work", "How agents earn points, the daily caps, the rewards, and the tiers.")
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "World", description: "Moods, world state, points." }))
