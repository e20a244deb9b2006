import { Effect } from "effect"
import { NotFound } from "../../schema/Problems.ts"
import { type Act, recordWhenPossible } from "../runtime/audit.ts"
import { ActorTree } from "../runtime/Supervision.ts"

/** Operators' handler for supervised actors. It doesn't wait for the store: an actor may hang because of it. */
export const actorControl = {
  RestartActor: Effect.fnUntraced(function* ({
    payload: { actor, name, reason }
  }: {
    readonly payload: Act & { readonly name: string }
  }) {
    const tree = yield* ActorTree
    const before = (yield* tree.nodes).find((node) => node.name === name)
    if (before === undefined || !(yield* tree.restart(name, actor)))
      return yield* new NotFound({ detail: `No actor ${name} runs. See GET /api/ops/actors.` })
    yield* recordWhenPossible({ actor, reason }, "actor.restart", { type: "actor", id: name }, before, null)
    return before
  })
}
