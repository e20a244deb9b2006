import { Effect, Layer, Semaphore } from "effect"
import { Entity } from "effect/cluster"
import { Rpc } from "effect/rpc"
import type { AgentId } from "../schema/Ids.ts"
import { counted, countedAll } from "./Counting.ts"
import { transient } from "./Kinds.ts"
import { ProductionBell } from "./ProductionBell.ts"
import { work } from "./ProductionWork.ts"
import { Showrunner } from "./protocol/Showrunner.ts"
import { showrunnerProductions } from "./ShowrunnerProductions.ts"
import { showrunnerShows } from "./ShowrunnerShows.ts"

/**
 * One agent's shows: its mailbox is where they begin and change, one after the other. The work at one goes on beside it, for a
 * writer takes minutes: what has moved on meanwhile isn't written over.
 */
export const ShowrunnerLive = Showrunner.toLayer(Effect.gen(function*() {
  const agentId = (yield* Entity.CurrentAddress).entityId as unknown as AgentId
  const turns = new Map<string, Semaphore.Semaphore>()
  /** Called again while it is being worked at, a production is looked at once more after that: two at a time would undo each other's steps. */
  const inTurn = Effect.fnUntraced(function*(id: string, tired: boolean) {
    const turn = turns.get(id) ?? (yield* Semaphore.make(1))
    turns.set(id, turn)
    yield* turn.withPermits(1)(work(id, tired))
  })
  return Showrunner.of({
    ...countedAll("Showrunner", { ...showrunnerShows(agentId), ...showrunnerProductions(agentId) }),
    WorkProduction: ({ payload }) => Rpc.fork(counted("Showrunner", "done")(inTurn(payload.productionId, payload.tired)))
  })
}), transient).pipe(Layer.provide(ProductionBell.layer))
