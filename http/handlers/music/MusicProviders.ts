import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { EventBus } from "../../../actors/runtime/EventBus.ts"
import { providerView } from "../../../engine/rules/music/MusicProviders.ts"
import { OpsApi } from "../../api/OpsApi.ts"

export const MusicProvidersHandlers = HttpApiBuilder.group(
  OpsApi,
  "musicProviders",
  Effect.fnUntraced(function* (handlers) {
    const bus = yield* EventBus
    return handlers.handle("list", () =>
      Effect.map(bus.get("musicProviders"), (found) => ({ providers: (found ?? []).map(providerView) }))
    )
  })
)
