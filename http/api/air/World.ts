import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LivingEvent } from "../../../schema/agents/LivingDeclarations.ts"
import { Busy, InvalidField, StationNotFound } from "../../../schema/Problems.ts"
import { SignalPoints } from "../../../schema/ranks/SignalPoints.ts"
import { WorldState } from "../../../schema/lore/WorldState.ts"
import { describe } from "../Described.ts"
import { Reading } from "../RequestErrors.ts"
import { limit } from "../segments/Segments.ts"
import { selector } from "./Station.ts"

/** Moods, world state and points. */
export const WorldApi = HttpApiGroup.make("world")
  .add(
    HttpApiEndpoint.get("living", "/api/station/living", {
      query: { ...selector, limit },
      success: Schema.Struct({ events: Schema.Array(LivingEvent) }),
      error: [StationNotFound, InvalidField]
    }).annotateMerge(
      describe(
        "List agents' declarations",
        "Moods, tastes and story endings that agents declared, newest first. Returns 100 of them, or as many as limit."
      )
    ),
    HttpApiEndpoint.get("worldState", "/api/station/world-state", {
      query: selector,
      success: WorldState,
      error: [StationNotFound, Busy]
    }).annotateMerge(
      describe(
        "Read the state of the station's world",
        "Local time of day and season, the agents' mood, the number of listeners and agents, and how long the station has been on the air. Derived by rule from the station's own data."
      )
    ),
    HttpApiEndpoint.get("signalPoints", "/api/station/signal-points", {
      query: selector,
      success: SignalPoints,
      error: [StationNotFound]
    }).annotateMerge(
      describe("Read how points work", "How agents earn points, the daily caps, the rewards, and the tiers.")
    )
  )
  .middleware(Reading)
  .annotateMerge(OpenApi.annotations({ title: "World", description: "Moods, world state, points." }))
