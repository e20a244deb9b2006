import { Clock, Effect } from "effect"
import type { ActorNode } from "../../schema/ActorTree.ts"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, recordWhenPossible } from "../runtime/audit.ts"
import { EventBus } from "../runtime/EventBus.ts"
import { ActorTree } from "../runtime/Supervision.ts"

/**
 * Operators' handler for supervised actors. It restarts the actor in each process that runs it. It doesn't wait for the store: an actor may hang
 * because of it.
 */
export const actorControl = {
  RestartActor: Effect.fnUntraced(function* ({
    payload: { actor, name, reason }
  }: {
    readonly payload: Act & { readonly name: string }
  }) {
    const tree = yield* ActorTree
    const bus = yield* EventBus
    const isRunning = (node: ActorNode) => node.name === name && node.state === "running"
    const elsewhere = ((yield* bus.get("actorsElsewhere")) ?? []).find(isRunning)
    const here = (yield* tree.nodes).find(isRunning)
    const isRestarted = yield* tree.restart(name, actor)
    if (elsewhere !== undefined)
      bus.peers.tell({
        _tag: "Event",
        atMs: yield* Clock.currentTimeMillis,
        event: { _tag: "ActorRestartAsked", name, by: actor }
      })
    const before = isRestarted ? here : elsewhere
    if (before === undefined) return yield* new NotFound({ detail: `No actor ${name} runs. See GET /api/ops/actors.` })
    yield* recordWhenPossible({ actor, reason }, "actor.restart", { type: "actor", id: name }, before, null)
    return before
  })
}
