import { Effect, Layer, Stream } from "effect"
import { EventBus } from "./EventBus.ts"
import { ActorTree } from "./Supervision.ts"

/** Restarts actors of this process that an operator restarts by another process. */
export const RestartNews = Layer.effectDiscard(
  Effect.gen(function* () {
    const { events } = yield* EventBus
    const tree = yield* ActorTree
    yield* Effect.forkScoped(
      Stream.runForEach(events, ({ event }) =>
        event._tag === "ActorRestartAsked" ? tree.restart(event.name, event.by) : Effect.void
      )
    )
  })
)
