import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { livingEventsMax, worldKeptSec, worldTopicsMax } from "../../../engine/rules/air/limits.ts"
import { signalPoints } from "../../../engine/rules/ranks/SignalPoints.ts"
import { worldCouncilMax, worldLoreMax } from "../../../engine/rules/lore/limits.ts"
import { worldStateOf } from "../../../engine/rules/lore/WorldState.ts"
import { Fences } from "../../../engine/store/air/Fences.ts"
import { LivingDeclarations } from "../../../engine/store/agents/LivingDeclarations.ts"
import { StationFacts } from "../../../engine/store/sql/StationFacts.ts"
import { Topics } from "../../../engine/store/programmes/Topics.ts"
import { Council } from "../../../engine/store/lore/Council.ts"
import { Lore } from "../../../engine/store/lore/Lore.ts"
import { WorldFigures } from "../../../engine/store/lore/WorldFigures.ts"
import { Api } from "../../api/Api.ts"
import { checkStation } from "../../views/StationViews.ts"

export const WorldHandlers = HttpApiBuilder.group(
  Api,
  "world",
  Effect.fnUntraced(function* (handlers) {
    const bus = yield* EventBus
    const facts = yield* StationFacts
    const figures = yield* WorldFigures
    const living = yield* LivingDeclarations
    const fences = yield* Fences
    const topics = yield* Topics
    const lore = yield* Lore
    const council = yield* Council
    // Cached for a few seconds for all callers.
    const world = yield* Effect.cachedWithTTL(
      Effect.gen(function* () {
        const nowMs = yield* Clock.currentTimeMillis
        const stationId = yield* fences.stationId
        const read = yield* Effect.all(
          {
            agentsOnline: figures.agentsOnline(nowMs),
            declared: living.listNewest(livingEventsMax),
            topics: topics.titles(nowMs, worldTopicsMax),
            recentLore: lore.listNewestCanonical(worldLoreMax),
            councilOpen: council.listClosing(worldCouncilMax),
            onAirSinceMs: figures.findOnAirSince(stationId)
          },
          { concurrency: "unbounded" }
        )
        return worldStateOf({
          ...read,
          nowMs,
          zone: facts.timeZone,
          block: yield* bus.get("currentBlock"),
          listeners: (yield* bus.get("listeners"))?.total ?? 0
        })
      }),
      `${worldKeptSec} seconds`
    )
    return handlers.handleAll({
      living: ({ query }) =>
        Effect.andThen(
          checkStation(query),
          Effect.map(living.listNewest(query.limit ?? livingEventsMax), (events) => ({ events }))
        ),
      worldState: ({ query }) => Effect.andThen(checkStation(query), world),
      signalPoints: ({ query }) => Effect.as(checkStation(query), signalPoints)
    })
  })
)
