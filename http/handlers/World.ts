import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Bus } from "../../actors/Bus.ts"
import { livingEventsMax, worldKeptSec, worldTopicsMax } from "../../engine/Limits.ts"
import { signalPoints } from "../../engine/rules/SignalPoints.ts"
import { worldStateOf } from "../../engine/rules/WorldState.ts"
import { Fences } from "../../engine/store/Fences.ts"
import { Living } from "../../engine/store/Living.ts"
import { StationFacts } from "../../engine/store/StationFacts.ts"
import { Topics } from "../../engine/store/Topics.ts"
import { WorldFigures } from "../../engine/store/WorldFigures.ts"
import { Api } from "../api/Api.ts"
import { checkStation } from "./StationViews.ts"

export const WorldHandlers = HttpApiBuilder.group(Api, "world", Effect.fn(function*(handlers) {
  const bus = yield* Bus
  const facts = yield* StationFacts
  const figures = yield* WorldFigures
  const living = yield* Living
  const fences = yield* Fences
  const topics = yield* Topics
  // All who ask within some seconds share one look.
  const world = yield* Effect.cachedWithTTL(Effect.gen(function*() {
    const nowMs = yield* Clock.currentTimeMillis
    return worldStateOf({
      nowMs, zone: facts.timeZone, block: yield* bus.get("currentBlock"), listeners: (yield* bus.get("listeners"))?.total ?? 0,
      agentsOnline: yield* figures.agentsOnline(nowMs), declared: yield* living.newest(livingEventsMax), topics: yield* topics.titles(nowMs, worldTopicsMax), onAirSinceMs: yield* figures.onAirSince(yield* fences.stationId)
    })
  }), `${worldKeptSec} seconds`)
  return handlers.handleAll({
    living: ({ query }) => Effect.andThen(checkStation(query), Effect.map(living.newest(query.limit ?? livingEventsMax), (events) => ({ events }))),
    worldState: ({ query }) => Effect.andThen(checkStation(query), world),
    signalPoints: ({ query }) => Effect.as(checkStation(query), signalPoints)
  })
}))
